/**
 * Linear light to the opponent channels X, Y and B: cone responses scaled by a sensitivity that follows the logarithm of
 * the light around a pixel (a 5-tap Gaussian, mirrored at the edges). 1.0 is 80 nits. Cones are mixed before anything is smoothed or
 * halved: both are means, which mixing commutes with.
 */
import { all } from '../common/broadcast'
import { loadAlong, storePair } from '../common/pairs'
import { tapsOf } from './blur'
import { LINEAR_ROWS, OPSIN_ROWS, SMOOTH_ROWS, Scale, Side, clearTail, ringRow, scratchRow } from './layout'

/** The filter before the sensitivity. */
const SENSITIVITY_BLUR: i32 = 4

/** Weights of red, green and blue in each cone, times 80 nits; and its bias, which is also the least response. */
const longRed = memory.data<f32>([80 * 0.29956550340058319])
const longGreen = memory.data<f32>([80 * 0.63373087833825936])
const longBlue = memory.data<f32>([80 * 0.077705617820981968])
const middleRed = memory.data<f32>([80 * 0.22158691104574774])
const middleGreen = memory.data<f32>([80 * 0.69391388044116142])
const middleBlue = memory.data<f32>([80 * 0.0987313588422])
const shortOther = memory.data<f32>([80 * 0.02])
const shortBlue = memory.data<f32>([80 * 0.20480129041026129])
const bias = memory.data<f32>([1.7557483643287353])
const shortBias = memory.data<f32>([12.226454707163354])

/** Response to light v: 19.2 ln(v + 9.97) - 23.2. */
const gammaBias = memory.data<f32>([9.9710736769299145])
const gammaShift = memory.data<f32>([-23.16046239805755])
/** 19.2 ln 2; and 19.2 ln m of a mantissa m of 0.7 to 1.4, by powers of m - 1: within 2e-4 (fitted at Chebyshev's points). */
const gammaOctave = memory.data<f32>([13.339626680921114])
const gamma0 = memory.data<f32>([-0.00010485703252133693])
const gamma1 = memory.data<f32>([19.242840883740012])
const gamma2 = memory.data<f32>([-9.605381419706209])
const gamma3 = memory.data<f32>([6.504921257238518])
const gamma4 = memory.data<f32>([-5.274663371993704])
const gamma5 = memory.data<f32>([3.314868484855897])
const one = memory.data<f32>([1])
/** The bits of the square root of a half. */
const rootHalf = memory.data<i32>([0x3f3504f3])

/** The sensitivity of short-wave cones, whose response lies between 12.2 and 31.8, by powers of v - 22: within 5e-5 of it (likewise). */
const shortMiddle = memory.data<f32>([22])
const short0 = memory.data<f32>([1.9781762514135006])
const short1 = memory.data<f32>([-0.06261322815415347])
const short2 = memory.data<f32>([0.0024213899061218598])
const short3 = memory.data<f32>([-0.00009634380633272713])
const short4 = memory.data<f32>([0.000004082215323417208])
const short5 = memory.data<f32>([-2.8031464992066634e-7])
const short6 = memory.data<f32>([1.3190017855027366e-8])

@inline
function mix(r: v128, g: v128, b: v128, red: usize, green: usize, blue: usize, biasAt: usize): v128 {
  const others = f32x4.add(f32x4.mul(g, all(green)), f32x4.mul(b, all(blue)))
  return f32x4.add(f32x4.add(f32x4.mul(r, all(red)), others), all(biasAt))
}

@inline
function longOf(r: v128, g: v128, b: v128): v128 {
  return mix(r, g, b, longRed, longGreen, longBlue, bias)
}

@inline
function middleOf(r: v128, g: v128, b: v128): v128 {
  return mix(r, g, b, middleRed, middleGreen, middleBlue, bias)
}

@inline
function shortOf(r: v128, g: v128, b: v128): v128 {
  return mix(r, g, b, shortOther, shortOther, shortBlue, shortBias)
}

/** A row of red, green and blue (a pitch apart) to the responses of long-, middle- and short-wave cones (`ring` bytes apart). */
export function mixCones(scale: Scale, from: usize, to: usize, ring: usize): void {
  const stride = scale.stride
  const pitch = scale.pitch
  for (let x: usize = 0; x < stride; x += 32) {
    const red = from + x
    const green = red + pitch
    const blue = green + pitch
    const r = v128.load(red)
    const g = v128.load(green)
    const b = v128.load(blue)
    const r2 = v128.load(red, 16)
    const g2 = v128.load(green, 16)
    const b2 = v128.load(blue, 16)
    const at = to + x
    storePair(at, longOf(r, g, b), longOf(r2, g2, b2))
    storePair(at + ring, middleOf(r, g, b), middleOf(r2, g2, b2))
    storePair(at + 2 * ring, shortOf(r, g, b), shortOf(r2, g2, b2))
  }
}

/** Two terms of a polynomial. Terms in pairs wait less for one another than one after the other. */
@inline
function pairOf(constant: usize, factor: usize, t: v128): v128 {
  return f32x4.add(all(constant), f32x4.mul(t, all(factor)))
}

/** Response to four positive normal values: what their exponents add up to, and a polynomial of the mantissas. */
@inline
function gamma(light: v128): v128 {
  const v = f32x4.add(light, all(gammaBias))
  const exponent = i32x4.shr_s(i32x4.sub(v, all(rootHalf)), 23)
  const t = f32x4.sub(i32x4.sub(v, i32x4.shl(exponent, 23)), all(one))
  const square = f32x4.mul(t, t)
  const highest = f32x4.add(pairOf(gamma2, gamma3, t), f32x4.mul(square, pairOf(gamma4, gamma5, t)))
  const series = f32x4.add(pairOf(gamma0, gamma1, t), f32x4.mul(square, highest))
  const octaves = f32x4.mul(f32x4.convert_i32x4_s(exponent), all(gammaOctave))
  return f32x4.add(f32x4.add(octaves, all(gammaShift)), series)
}

@inline
function shortSensitivity(response: v128): v128 {
  const t = f32x4.sub(response, all(shortMiddle))
  const square = f32x4.mul(t, t)
  const highest = f32x4.add(pairOf(short4, short5, t), f32x4.mul(square, all(short6)))
  const higher = f32x4.add(pairOf(short2, short3, t), f32x4.mul(square, highest))
  return f32x4.add(pairOf(short0, short1, t), f32x4.mul(square, higher))
}

/** Four columns smoothed by five taps, from `at` on. */
@inline
function alongFive(at: usize, other: usize, k: usize): v128 {
  const taps = tapsOf(SENSITIVITY_BLUR)
  const centre = f32x4.mul(loadAlong(at, other, 8, k), all(taps))
  const near = f32x4.mul(f32x4.add(loadAlong(at, other, 4, k), loadAlong(at, other, 12, k)), all(taps + 4))
  const far = f32x4.mul(f32x4.add(loadAlong(at, other, 0, k), loadAlong(at, other, 16, k)), all(taps + 8))
  return f32x4.add(f32x4.add(centre, near), far)
}

/** Smooths a row of responses along itself; row ends are mirrored into the margins. */
export function smoothAlong(scale: Scale, from: usize, to: usize): void {
  const stride = scale.stride
  const last = from + (<usize>(scale.width - 1) << 2)
  store<f32>(from - 4, load<f32>(from))
  store<f32>(from - 8, load<f32>(from + 4))
  store<f32>(last + 4, load<f32>(last))
  store<f32>(last + 8, load<f32>(last - 4))
  const first = from - 8
  const other = first - 16
  for (let x: usize = 0; x < stride; x += 32) {
    storePair(to + x, alongFive(first + x, other + x, 0), alongFive(first + x, other + x, 16))
  }
}

/** The row that stands for row y, mirrored at the edges (the edge row itself comes twice). */
@inline
export function mirrored(y: i32, height: i32): i32 {
  return y < 0 ? -y - 1 : y >= height ? 2 * height - 1 - y : y
}

@inline
function smoothRow(scale: Scale, side: Side, cones: i32, y: i32): usize {
  return ringRow(side.smooth, SMOOTH_ROWS, cones, mirrored(y, scale.height), scale.pitch)
}

/** The same down the five rows around one. */
@inline
function downFive(r0: usize, r1: usize, r2: usize, r3: usize, r4: usize, k: usize): v128 {
  const taps = tapsOf(SENSITIVITY_BLUR)
  const near = f32x4.mul(f32x4.add(v128.load(r1 + k), v128.load(r3 + k)), all(taps + 4))
  const far = f32x4.mul(f32x4.add(v128.load(r0 + k), v128.load(r4 + k)), all(taps + 8))
  return f32x4.add(f32x4.add(f32x4.mul(v128.load(r2 + k), all(taps)), near), far)
}

/** The light around row y of one kind of cones: rows y - 2 .. y + 2 smoothed down. */
function smoothDown(scale: Scale, side: Side, cones: i32, y: i32, to: usize): void {
  const stride = scale.stride
  const r0 = smoothRow(scale, side, cones, y - 2)
  const r1 = smoothRow(scale, side, cones, y - 1)
  const r2 = smoothRow(scale, side, cones, y)
  const r3 = smoothRow(scale, side, cones, y + 1)
  const r4 = smoothRow(scale, side, cones, y + 2)
  for (let x: usize = 0; x < stride; x += 32) {
    const lower = downFive(r0 + x, r1 + x, r2 + x, r3 + x, r4 + x, 0)
    storePair(to + x, lower, downFive(r0 + x, r1 + x, r2 + x, r3 + x, r4 + x, 16))
  }
}

/** The response of long- or middle-wave cones times a sensitivity, which is the response to what is around over it. */
@inline
function sensed(own: usize, around: usize, k: usize): v128 {
  const v = v128.load(around + k)
  return f32x4.div(f32x4.mul(v128.load(own + k), gamma(v)), v)
}

/** The same of short-wave cones, whose sensitivity is a polynomial. */
@inline
export function sensedShort(own: usize, around: usize, k: usize): v128 {
  return f32x4.pmax(f32x4.mul(v128.load(own + k), shortSensitivity(v128.load(around + k))), all(shortBias))
}

@inline
function atLeastBias(v: v128): v128 {
  return f32x4.pmax(v, all(bias))
}

/**
 * Row y of X and Y; rows y - 2 .. y + 2 have been smoothed. Loops are short, so that the processor works at several rounds at
 * once: their chains are long.
 */
export function opsinRow(scale: Scale, side: Side, y: i32): void {
  const stride = scale.stride
  const pitch = scale.pitch
  const aroundLong = scratchRow(0)
  const aroundMiddle = scratchRow(1)
  smoothDown(scale, side, 0, y, aroundLong)
  smoothDown(scale, side, 1, y, aroundMiddle)
  const ownLong = ringRow(side.linear, LINEAR_ROWS, 0, y, pitch)
  const ownMiddle = ringRow(side.linear, LINEAR_ROWS, 1, y, pitch)
  const toX = ringRow(side.opsin, OPSIN_ROWS, 0, y, pitch)
  const toY = ringRow(side.opsin, OPSIN_ROWS, 1, y, pitch)
  for (let x: usize = 0; x < stride; x += 32) {
    const at = aroundLong + x
    storePair(at, sensed(ownLong + x, at, 0), sensed(ownLong + x, at, 16))
  }
  for (let x: usize = 0; x < stride; x += 32) {
    const middle = atLeastBias(sensed(ownMiddle + x, aroundMiddle + x, 0))
    const middle2 = atLeastBias(sensed(ownMiddle + x, aroundMiddle + x, 16))
    const long = atLeastBias(v128.load(aroundLong + x))
    const long2 = atLeastBias(v128.load(aroundLong + x, 16))
    storePair(toX + x, f32x4.sub(long, middle), f32x4.sub(long2, middle2))
    storePair(toY + x, f32x4.add(long, middle), f32x4.add(long2, middle2))
  }
  clearTail(scale, toX)
  clearTail(scale, toY)
}

/** Row y of small images' B, likewise; larger ones have it at half size. */
export function smallBlueRow(scale: Scale, side: Side, y: i32): void {
  const stride = scale.stride
  const around = scratchRow(2)
  smoothDown(scale, side, 2, y, around)
  const own = ringRow(side.linear, LINEAR_ROWS, 2, y, scale.pitch)
  const to = ringRow(side.opsin, OPSIN_ROWS, 2, y, scale.pitch)
  for (let x: usize = 0; x < stride; x += 32) {
    storePair(to + x, sensedShort(own + x, around + x, 0), sensedShort(own + x, around + x, 16))
  }
  clearTail(scale, to)
}
