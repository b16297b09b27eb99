/** What is done with blurred rows: the reference's are kept, the candidate's become error maps and are summed at once. */
import { lanesInside } from './bands'
import { aim, blurAlong, blurDown, stripBytes, stripColumns, strips } from './blur'
import { Band, Scale, margin, regionShift, regionsAcross, regionsDown, sumsAt, tall } from './layout'

const c2: f32 = 0.0009

/** Blurs row y of the reference: its mean, and 2 x variance + C2. */
export function settleReference(scale: Scale, band: Band, y: i32): void {
  aim(band.referenceRing, scale.pitch, y, scale.height)
  const plane = <usize>(y % scale.capacity) * scale.stride
  for (let from = 0; from < scale.width; from += stripColumns) {
    const count = min(stripColumns, <i32>(scale.stride >> 2) - from)
    blurDown(0, from, count)
    blurDown(1, from, count)
    const to = plane + (<usize>from << 2)
    const last = <usize>count << 2
    for (let x: usize = 0; x < last; x += 16) {
      const mean = blurAlong(strips + x)
      const variance = f32x4.sub(blurAlong(strips + stripBytes + x), f32x4.mul(mean, mean))
      v128.store(band.mean + to + x, mean)
      v128.store(band.spread + to + x, f32x4.add(f32x4.add(variance, variance), f32x4.splat(c2)))
    }
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

@inline
function fourth(v: v128): v128 {
  const square = f32x4.mul(v, v)
  return f32x4.mul(square, square)
}

/**
 * Blurs row y of the candidate's ring and sums its maps. With d = candidate - reference, V the blurred variance of d and
 * A = s11 + s22 + C2 = (2 s11 + C2) + 2 cov + V, the definition's (2 s12 + C2) / A is 1 - V / A.
 */
export function settleCandidate(scale: Scale, band: Band, index: i32, channel: i32, y: i32): void {
  aim(band.candidateRing, scale.pitch, y, scale.height)
  const shift = regionShift - index
  const columns = 1 << shift
  const down = min(y >> shift, regionsDown - 1)
  const plane = <usize>(y % scale.capacity) * scale.stride
  const ring = band.candidateRing + <usize>(y % tall) * scale.pitch + 4 * margin
  for (let from = 0; from < scale.width; from += columns) {
    const count = min(columns, <i32>(scale.stride >> 2) - from)
    blurDown(0, from, count)
    blurDown(1, from, count)
    blurDown(2, from, count)
    const across = min(from >> shift, regionsAcross - 1)
    sumStrip(scale, band, plane, ring, from, count, sumsAt(down * regionsAcross + across, index, channel))
  }
}

function sumStrip(scale: Scale, band: Band, plane: usize, ring: usize, from: i32, count: i32, to: usize): void {
  let ssim = f32x4.splat(0)
  let ringing = ssim
  let blurring = ssim
  let ssim4 = ssim
  let ringing4 = ssim
  let blurring4 = ssim
  const zero = f32x4.splat(0)
  const one = f32x4.splat(1)
  const start = <usize>from << 2
  const last = <usize>count << 2
  const image = band.image + plane + start
  const means = band.mean + plane + start
  const spreads = band.spread + plane + start
  const differences = ring + start
  const left = scale.width - from
  for (let x: usize = 0; x < last; x += 16) {
    const inside = lanesInside(left - <i32>(x >> 2))
    const shift = blurAlong(strips + x)
    const shift2 = f32x4.mul(shift, shift)
    const mean = v128.load(means + x)
    const variance = f32x4.sub(blurAlong(strips + stripBytes + x), shift2)
    const covariance = f32x4.sub(blurAlong(strips + 2 * stripBytes + x), f32x4.mul(mean, shift))
    const spread = f32x4.add(f32x4.add(v128.load(spreads + x), variance), f32x4.add(covariance, covariance))
    const loss = f32x4.div(variance, spread)
    const dissimilar = f32x4.add(loss, f32x4.mul(shift2, f32x4.sub(one, loss)))
    const d = v128.and(f32x4.max(dissimilar, zero), inside)

    const edge = f32x4.sub(v128.load(image + x), mean)
    const edgeNow = f32x4.add(edge, f32x4.sub(v128.load(differences + x), shift))
    const before = f32x4.abs(edge)
    const change = f32x4.div(f32x4.sub(f32x4.abs(edgeNow), before), f32x4.add(one, before))
    const e = v128.and(change, inside)
    const gained = f32x4.max(e, zero)
    const lost = f32x4.sub(gained, e)

    ssim = f32x4.add(ssim, d)
    ringing = f32x4.add(ringing, gained)
    blurring = f32x4.add(blurring, lost)
    ssim4 = f32x4.add(ssim4, fourth(d))
    ringing4 = f32x4.add(ringing4, fourth(gained))
    blurring4 = f32x4.add(blurring4, fourth(lost))
  }
  addTo(to, ssim)
  addTo(to + 8, ringing)
  addTo(to + 16, blurring)
  addTo(to + 24, ssim4)
  addTo(to + 32, ringing4)
  addTo(to + 40, blurring4)
}
