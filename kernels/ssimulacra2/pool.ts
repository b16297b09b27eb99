/** What is done with blurred rows: the reference's are kept, the candidate's become error maps and are summed at once. */
import { aim, blurMap, stripColumns, stripOf } from './blur'
import { all } from '../common/broadcast'
import { Band, LUMA_ALONE, Scale, margin, regionShift, regionsAcross, regionsDown, ringRows, sumsAt } from './layout'

const c2 = memory.data<f32>([0.0009])
const one = memory.data<f32>([1])

/** Blurs rows y .. y + count (two at most) of the reference and keeps its mean, and 2 x variance + C2. */
export function settleReference(scale: Scale, band: Band, y: i32, count: i32): void {
  aim(band.referenceRing, scale.pitch, y, scale.height)
  for (let from = 0; from < scale.width; from += stripColumns) {
    const columns = min(stripColumns, <i32>(scale.stride >> 2) - from)
    blurMap(0, from, columns)
    blurMap(1, from, columns)
    for (let row = 0; row < count; row++) {
      const plane = <usize>((y + row) % scale.capacity) * scale.stride + (<usize>from << 2)
      keepStrip(stripOf(0, row), stripOf(1, row), band.mean + plane, band.spread + plane, <usize>columns << 2)
    }
  }
}

function keepStrip(means: usize, squares: usize, toMean: usize, toSpread: usize, bytes: usize): void {
  for (let x: usize = 0; x < bytes; x += 16) {
    const mean = v128.load(means + x)
    const variance = f32x4.sub(v128.load(squares + x), f32x4.mul(mean, mean))
    v128.store(toMean + x, mean)
    v128.store(toSpread + x, f32x4.add(f32x4.add(variance, variance), all(c2)))
  }
}

@inline
function total(v: v128): f64 {
  const low = f64x2.promote_low_f32x4(v)
  const high = f64x2.promote_low_f32x4(v128.shuffle<f32>(v, v, 2, 3, 2, 3))
  const sum = f64x2.add(low, high)
  return f64x2.extract_lane(sum, 0) + f64x2.extract_lane(sum, 1)
}

@inline
function addTo(at: usize, v: v128): void {
  store<f64>(at, load<f64>(at) + total(v))
}

/** What is above zero; f32x4.max heeds NaN and the sign of zero in many instructions where this is one. */
@inline
function aboveZero(v: v128, zero: v128): v128 {
  return f32x4.pmax(v, zero)
}

@inline
function fourth(v: v128): v128 {
  const square = f32x4.mul(v, v)
  return f32x4.mul(square, square)
}

/** Blurs rows y .. y + count (two at most) of the candidate's ring and sums their maps. */
export function settleCandidate(scale: Scale, band: Band, index: i32, channel: i32, y: i32, count: i32): void {
  aim(band.candidateRing, scale.pitch, y, scale.height)
  const shift = regionShift - index
  const columns = 1 << shift
  const down = min(y >> shift, regionsDown - 1)
  for (let from = 0; from < scale.width; from += columns) {
    const width = min(columns, <i32>(scale.stride >> 2) - from)
    for (let map = 0; map < 3; map++) {
      blurMap(map, from, width)
      if (from + width > scale.width) clearTail(map, scale.width - from, width)
    }
    const to = sumsAt(down * regionsAcross + min(from >> shift, regionsAcross - 1), index, channel)
    for (let row = 0; row < count; row++) {
      if (scale.mask == LUMA_ALONE) sumLumaAlone(scale, band, y + row, row, from, width, to)
      else sumAll(scale, band, y + row, row, from, width, to)
    }
  }
}

/** With nothing changed right of the image, nothing is summed there. */
function clearTail(map: usize, from: i32, to: i32): void {
  for (let x = <usize>from << 2; x < <usize>to << 2; x += 4) {
    store<f32>(stripOf(map, 0) + x, 0)
    store<f32>(stripOf(map, 1) + x, 0)
  }
}

function sumAll(scale: Scale, band: Band, y: i32, row: usize, from: i32, columns: i32, to: usize): void {
  sumStrip(scale, band, y, row, from, columns, to, true)
}

function sumLumaAlone(scale: Scale, band: Band, y: i32, row: usize, from: i32, columns: i32, to: usize): void {
  sumStrip(scale, band, y, row, from, columns, to, false)
}

/**
 * Sums the maps of one row's strip; unless `isWhole` the 4th powers of ssim and blurring, which alone have weight at full size. With d = candidate - reference, V the blurred variance of d and
 * A = s11 + s22 + C2 = (2 s11 + C2) + 2 cov + V, the definition's (2 s12 + C2) / A is 1 - V / A.
 */
@inline
function sumStrip(scale: Scale, band: Band, y: i32, row: usize, from: i32, columns: i32, to: usize, isWhole: bool): void {
  const plane = <usize>(y % scale.capacity) * scale.stride + (<usize>from << 2)
  const image = band.image + plane
  const means = band.mean + plane
  const spreads = band.spread + plane
  const differences = band.candidateRing + <usize>(y % ringRows) * scale.pitch + ((margin + <usize>from) << 2)
  const shifts = stripOf(0, row)
  const squares = stripOf(1, row)
  const products = stripOf(2, row)
  const last = <usize>columns << 2
  const zero = f32x4.splat(0)
  let ssim = zero
  let ringing = zero
  let blurring = zero
  let ssim4 = zero
  let ringing4 = zero
  let blurring4 = zero
  for (let x: usize = 0; x < last; x += 16) {
    const shift = v128.load(shifts + x)
    const shift2 = f32x4.mul(shift, shift)
    const mean = v128.load(means + x)
    const variance = f32x4.sub(v128.load(squares + x), shift2)
    const covariance = f32x4.sub(v128.load(products + x), f32x4.mul(mean, shift))
    const spread = f32x4.add(f32x4.add(v128.load(spreads + x), variance), f32x4.add(covariance, covariance))
    const loss = f32x4.div(variance, spread)
    const d = aboveZero(f32x4.add(loss, f32x4.mul(shift2, f32x4.sub(all(one), loss))), zero)

    const edge = f32x4.sub(v128.load(image + x), mean)
    const edgeNow = f32x4.add(edge, f32x4.sub(v128.load(differences + x), shift))
    const before = f32x4.abs(edge)
    const e = f32x4.div(f32x4.sub(f32x4.abs(edgeNow), before), f32x4.add(all(one), before))
    const gained = aboveZero(e, zero)
    const lost = f32x4.sub(gained, e)

    ssim4 = f32x4.add(ssim4, fourth(d))
    blurring4 = f32x4.add(blurring4, fourth(lost))
    if (!isWhole) continue
    ssim = f32x4.add(ssim, d)
    ringing = f32x4.add(ringing, gained)
    blurring = f32x4.add(blurring, lost)
    ringing4 = f32x4.add(ringing4, fourth(gained))
  }
  addTo(to + 24, ssim4)
  addTo(to + 40, blurring4)
  if (!isWhole) return
  addTo(to, ssim)
  addTo(to + 8, ringing)
  addTo(to + 16, blurring)
  addTo(to + 32, ringing4)
}
