/** Handles blurred rows: the reference's are kept, the candidate's become error maps and are summed at once. */
import { aim, along, blurDown, stripBytes, stripColumns, stripOf, tap0, tap1, tap2, tap3, tap4 } from './blur'
import { all } from '../common/broadcast'
import { storePair } from '../common/pairs'
import {
  Band, LUMA_ALONE, Scale, laneBytes, laneSums, margin, regionShift, regionsAcross, regionsDown, ringRows, sumsAt,
} from './layout'

const c2 = memory.data<f32>([0.0009])
const one = memory.data<f32>([1])

/** Blurs rows y .. y + count (two at most) of the reference and keeps its mean, and 2 x variance + C2. */
export function settleReference(scale: Scale, band: Band, y: i32, count: i32): void {
  aim(band.referenceRing, scale.pitch, y, scale.height)
  for (let from = 0; from < scale.width; from += stripColumns) {
    const columns = min(stripColumns, <i32>(scale.stride >> 2) - from)
    blurDown(2, from, columns)
    for (let row = 0; row < count; row++) {
      const plane = <usize>((y + row) % scale.capacity) * scale.stride + (<usize>from << 2)
      keepStrip(stripOf(0, row), band.mean + plane, band.spread + plane, <usize>columns << 2)
      if (from + columns > scale.width) voidTail(band.spread + plane, scale.width - from, columns)
    }
  }
}

function keepStrip(means: usize, toMean: usize, toSpread: usize, bytes: usize): void {
  const squares = means + stripBytes
  const w0 = all(tap0)
  const w1 = all(tap1)
  const w2 = all(tap2)
  const w3 = all(tap3)
  const w4 = all(tap4)
  for (let x: usize = 0; x < bytes; x += 32) {
    const mean = along(means + x, 0, w0, w1, w2, w3, w4)
    const meanNext = along(means + x, 16, w0, w1, w2, w3, w4)
    const spread = spreadOf(mean, along(squares + x, 0, w0, w1, w2, w3, w4))
    const spreadNext = spreadOf(meanNext, along(squares + x, 16, w0, w1, w2, w3, w4))
    storePair(toMean + x, mean, meanNext)
    storePair(toSpread + x, spread, spreadNext)
  }
}

/** 2 x variance + C2 of four columns. */
@inline
function spreadOf(mean: v128, square: v128): v128 {
  const variance = f32x4.sub(square, f32x4.mul(mean, mean))
  return f32x4.add(f32x4.add(variance, variance), all(c2))
}

/** Columns right of the image get a spread of NaN, which makes no loss (`aboveZero`). */
function voidTail(spreads: usize, from: i32, to: i32): void {
  for (let x = from; x < to; x++) store<f32>(spreads + (<usize>x << 2), NaN)
}

@inline
function total(v: v128): f64 {
  const low = f64x2.promote_low_f32x4(v)
  const high = f64x2.promote_low_f32x4(v128.shuffle<f32>(v, v, 2, 3, 2, 3))
  const sum = f64x2.add(low, high)
  return f64x2.extract_lane(sum, 0) + f64x2.extract_lane(sum, 1)
}

/** Adds what two vectors hold of a map to its sum at `to`; through memory, where V8 takes them for a pair. */
@inline
function addTo(to: usize, map: usize, sum: v128, next: v128): void {
  const lanes = laneSums + map * laneBytes
  storePair(lanes, sum, next)
  const at = to + (map << 3)
  store<f64>(at, load<f64>(at) + total(f32x4.add(v128.load(lanes), v128.load(lanes + 16))))
}

/** The maximum of zero and v, and 0 for NaN, in one instruction. f32x4.max takes several, for NaN and the sign of zero. */
@inline
function aboveZero(v: v128): v128 {
  return f32x4.pmax(f32x4.splat(0), v)
}

@inline
function fourth(v: v128): v128 {
  const square = f32x4.mul(v, v)
  return f32x4.mul(square, square)
}

/** Blurs rows y .. y + count (two at most) of the candidate's ring and sums their maps. */
export function settleCandidate(scale: Scale, band: Band, index: i32, channel: i32, y: i32, count: i32): void {
  aim(band.candidateRing, scale.pitch, y, scale.height)
  for (let from = 0; from < scale.width; from += stripColumns) {
    const columns = min(stripColumns, <i32>(scale.stride >> 2) - from)
    blurDown(3, from, columns)
    for (let row = 0; row < count; row++) sumStrip(scale, band, index, channel, y, row, from, from + columns)
  }
}

/** Sums the maps of row y + row in the columns of a strip, each region's apart. */
function sumStrip(scale: Scale, band: Band, index: i32, channel: i32, y: i32, row: i32, from: i32, until: i32): void {
  const shift = regionShift - index
  const regions = min(y >> shift, regionsDown - 1) * regionsAcross
  const strip = stripOf(0, row)
  for (let x = from; x < until; ) {
    const region = min(x >> shift, regionsAcross - 1)
    const end = region == regionsAcross - 1 ? until : min(until, (region + 1) << shift)
    const to = sumsAt(regions + region, index, channel)
    const maps = strip + (<usize>(x - from) << 2)
    if (scale.mask == LUMA_ALONE) {
      lumaLosses(scale, band, y + row, maps, x, end - x, to)
      lumaEdges(scale, band, y + row, maps, x, end - x, to)
    } else {
      allLosses(scale, band, y + row, maps, x, end - x, to)
      allEdges(scale, band, y + row, maps, x, end - x, to)
    }
    x = end
  }
}

// Each is a function of its own: together they need more registers than there are.

function allLosses(scale: Scale, band: Band, y: i32, maps: usize, from: i32, columns: i32, to: usize): void {
  sumLosses(scale, band, y, maps, from, columns, to, true)
}

function allEdges(scale: Scale, band: Band, y: i32, maps: usize, from: i32, columns: i32, to: usize): void {
  sumEdges(scale, band, y, maps, from, columns, to, true)
}

function lumaLosses(scale: Scale, band: Band, y: i32, maps: usize, from: i32, columns: i32, to: usize): void {
  sumLosses(scale, band, y, maps, from, columns, to, false)
}

function lumaEdges(scale: Scale, band: Band, y: i32, maps: usize, from: i32, columns: i32, to: usize): void {
  sumEdges(scale, band, y, maps, from, columns, to, false)
}

/**
 * How much less alike four columns are, from how far they are off their mean, and the blurred squares of that and products with the reference. With
 * d = candidate - reference, V the blurred variance of d and A = s11 + s22 + C2 = (2 s11 + C2) + 2 cov + V, the definition's (2 s12 + C2) / A is 1 - V / A.
 */
@inline
function lossOf(shift: v128, square: v128, product: v128, mean: usize, spread: usize): v128 {
  const shift2 = f32x4.mul(shift, shift)
  const variance = f32x4.sub(square, shift2)
  const covariance = f32x4.sub(product, f32x4.mul(v128.load(mean), shift))
  const sum = f32x4.add(f32x4.add(v128.load(spread), variance), f32x4.add(covariance, covariance))
  const loss = f32x4.div(variance, sum)
  return aboveZero(f32x4.add(loss, f32x4.mul(shift2, f32x4.sub(all(one), loss))))
}

/** Blurs one row's strip along, leaves its first map there and sums ssim; unless `isWhole` its 4th power alone, which alone has weight at full size. */
@inline
function sumLosses(scale: Scale, band: Band, y: i32, maps: usize, from: i32, columns: i32, to: usize, isWhole: bool): void {
  const plane = <usize>(y % scale.capacity) * scale.stride + (<usize>from << 2)
  const means = band.mean + plane
  const spreads = band.spread + plane
  const squares = maps + stripBytes
  const products = squares + stripBytes
  const last = <usize>columns << 2
  const w0 = all(tap0)
  const w1 = all(tap1)
  const w2 = all(tap2)
  const w3 = all(tap3)
  const w4 = all(tap4)
  let ssim = f32x4.splat(0)
  let ssim4 = f32x4.splat(0)
  let ssimNext = f32x4.splat(0)
  let ssim4Next = f32x4.splat(0)
  for (let x: usize = 0; x < last; x += 32) {
    const shift = along(maps + x, 0, w0, w1, w2, w3, w4)
    const square = along(squares + x, 0, w0, w1, w2, w3, w4)
    const product = along(products + x, 0, w0, w1, w2, w3, w4)
    const d = lossOf(shift, square, product, means + x, spreads + x)
    const shiftNext = along(maps + x, 16, w0, w1, w2, w3, w4)
    const squareNext = along(squares + x, 16, w0, w1, w2, w3, w4)
    const productNext = along(products + x, 16, w0, w1, w2, w3, w4)
    const next = lossOf(shiftNext, squareNext, productNext, means + x + 16, spreads + x + 16)
    storePair(maps + x, shift, shiftNext)
    ssim4 = f32x4.add(ssim4, fourth(d))
    ssim4Next = f32x4.add(ssim4Next, fourth(next))
    if (!isWhole) continue
    ssim = f32x4.add(ssim, d)
    ssimNext = f32x4.add(ssimNext, next)
  }
  if (isWhole) addTo(to, 0, ssim, ssimNext)
  addTo(to, 3, ssim4, ssim4Next)
}

/** By what part four columns differ more from their mean than the reference's; below zero by what part less. */
@inline
function edgeOf(images: usize, means: usize, differences: usize, shifts: usize): v128 {
  const edge = f32x4.sub(v128.load(images), v128.load(means))
  const edgeNow = f32x4.add(edge, f32x4.sub(v128.load(differences), v128.load(shifts)))
  const before = f32x4.abs(edge)
  return f32x4.div(f32x4.sub(f32x4.abs(edgeNow), before), f32x4.add(all(one), before))
}

/** Sums ringing and blurring of one row's strip; unless `isWhole` blurring's 4th power alone, which alone has weight at full size. */
@inline
function sumEdges(scale: Scale, band: Band, y: i32, maps: usize, from: i32, columns: i32, to: usize, isWhole: bool): void {
  const plane = <usize>(y % scale.capacity) * scale.stride + (<usize>from << 2)
  const images = band.image + plane
  const means = band.mean + plane
  const differences = band.candidateRing + <usize>(y % ringRows) * scale.pitch + ((margin + <usize>from) << 2)
  const last = <usize>columns << 2
  const zero = f32x4.splat(0)
  let ringing = zero
  let blurring = zero
  let ringing4 = zero
  let blurring4 = zero
  let ringingNext = zero
  let blurringNext = zero
  let ringing4Next = zero
  let blurring4Next = zero
  for (let x: usize = 0; x < last; x += 32) {
    const e = edgeOf(images + x, means + x, differences + x, maps + x)
    const next = edgeOf(images + x + 16, means + x + 16, differences + x + 16, maps + x + 16)
    const gained = aboveZero(e)
    const gainedNext = aboveZero(next)
    const lost = f32x4.sub(gained, e)
    const lostNext = f32x4.sub(gainedNext, next)
    blurring4 = f32x4.add(blurring4, fourth(lost))
    blurring4Next = f32x4.add(blurring4Next, fourth(lostNext))
    if (!isWhole) continue
    ringing = f32x4.add(ringing, gained)
    ringingNext = f32x4.add(ringingNext, gainedNext)
    blurring = f32x4.add(blurring, lost)
    blurringNext = f32x4.add(blurringNext, lostNext)
    ringing4 = f32x4.add(ringing4, fourth(gained))
    ringing4Next = f32x4.add(ringing4Next, fourth(gainedNext))
  }
  addTo(to, 5, blurring4, blurring4Next)
  if (!isWhole) return
  addTo(to, 1, ringing, ringingNext)
  addTo(to, 2, blurring, blurringNext)
  addTo(to, 4, ringing4, ringing4Next)
}
