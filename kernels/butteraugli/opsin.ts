/**
 * Linear light to the opponent channels X, Y and B: cone responses scaled by a sensitivity that follows the logarithm of
 * the light around a pixel (a 5-tap Gaussian, mirrored at the edges). 1.0 is 80 nits.
 */
import { all } from '../common/broadcast'
import { tapsOf } from './blur'
import { LINEAR_ROWS, OPSIN_ROWS, SMOOTH_ROWS, Scale, Side, clearTail, ringRow } from './layout'

/** The filter before the sensitivity. */
const SENSITIVITY_BLUR: i32 = 4

/** What each cone takes of red, green and blue, times 80 nits; and its bias, which is also the least response. */
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
const gammaScale = memory.data<f32>([19.245013259874995])
const gammaBias = memory.data<f32>([9.9710635769299145])
const gammaShift = memory.data<f32>([-23.16046239805755])

const one = memory.data<f32>([1])
const two = memory.data<f32>([2])
const ln2 = memory.data<f32>([0.6931471805599453])
const third = memory.data<f32>([0.6666666666666666])
const fifth = memory.data<f32>([0.4])
const seventh = memory.data<f32>([0.2857142857142857])
const ninth = memory.data<f32>([0.2222222222222222])
/** The bits of the square root of a half. */
const rootHalf = memory.data<i32>([0x3f3504f3])

/** Natural logarithm of four positive normal values, to 2e-7: the exponent, and 2 artanh((m - 1) / (m + 1)) of the mantissa. */
@inline
function logarithm(v: v128): v128 {
  const exponent = i32x4.shr_s(i32x4.sub(v, all(rootHalf)), 23)
  const mantissa = i32x4.sub(v, i32x4.shl(exponent, 23))
  const s = f32x4.div(f32x4.sub(mantissa, all(one)), f32x4.add(mantissa, all(one)))
  const z = f32x4.mul(s, s)
  let series = f32x4.add(all(seventh), f32x4.mul(z, all(ninth)))
  series = f32x4.add(all(fifth), f32x4.mul(z, series))
  series = f32x4.add(all(third), f32x4.mul(z, series))
  series = f32x4.add(all(two), f32x4.mul(z, series))
  return f32x4.add(f32x4.mul(f32x4.convert_i32x4_s(exponent), all(ln2)), f32x4.mul(s, series))
}

@inline
function sensitivity(response: v128): v128 {
  const gamma = f32x4.mul(logarithm(f32x4.add(response, all(gammaBias))), all(gammaScale))
  return f32x4.div(f32x4.add(gamma, all(gammaShift)), response)
}

@inline
function mix(r: v128, g: v128, b: v128, red: usize, green: usize, blue: usize, biasAt: usize): v128 {
  const others = f32x4.add(f32x4.mul(g, all(green)), f32x4.mul(b, all(blue)))
  return f32x4.add(f32x4.add(f32x4.mul(r, all(red)), others), all(biasAt))
}

/** Smooths a row of linear light along itself; row ends are mirrored into the margins. */
export function smoothAlong(scale: Scale, from: usize, to: usize): void {
  const last = from + (<usize>(scale.width - 1) << 2)
  store<f32>(from - 4, load<f32>(from))
  store<f32>(from - 8, load<f32>(from + 4))
  store<f32>(last + 4, load<f32>(last))
  store<f32>(last + 8, load<f32>(last - 4))
  const taps = tapsOf(SENSITIVITY_BLUR)
  for (let x: usize = 0; x < scale.stride; x += 16) {
    const centre = f32x4.mul(v128.load(from + x), all(taps))
    const near = f32x4.add(v128.load(from + x - 4), v128.load(from + x + 4))
    const far = f32x4.add(v128.load(from + x - 8), v128.load(from + x + 8))
    v128.store(to + x, f32x4.add(f32x4.add(centre, f32x4.mul(near, all(taps + 4))), f32x4.mul(far, all(taps + 8))))
  }
}

/** The row that stands for row y, mirrored at the edges (the edge row itself comes twice). */
@inline
function mirrored(y: i32, height: i32): i32 {
  return y < 0 ? -y - 1 : y >= height ? 2 * height - 1 - y : y
}

@inline
function smoothRow(scale: Scale, side: Side, channel: i32, y: i32): usize {
  return ringRow(side.smooth, SMOOTH_ROWS, channel, mirrored(y, scale.height), scale.pitch)
}

@inline
function weighDown(x: usize, far: usize, near: usize, centre: usize, nearBelow: usize, farBelow: usize): v128 {
  const taps = tapsOf(SENSITIVITY_BLUR)
  const sum = f32x4.mul(v128.load(centre + x), all(taps))
  const first = f32x4.mul(f32x4.add(v128.load(near + x), v128.load(nearBelow + x)), all(taps + 4))
  const second = f32x4.mul(f32x4.add(v128.load(far + x), v128.load(farBelow + x)), all(taps + 8))
  return f32x4.add(f32x4.add(sum, first), second)
}

/** Row y of the opsin channels; rows y - 2 .. y + 2 have been smoothed. */
export function opsinRow(scale: Scale, side: Side, y: i32): void {
  const pitch = scale.pitch
  const red = ringRow(side.linear, LINEAR_ROWS, 0, y, pitch)
  const green = ringRow(side.linear, LINEAR_ROWS, 1, y, pitch)
  const blue = ringRow(side.linear, LINEAR_ROWS, 2, y, pitch)
  const toX = ringRow(side.opsin, OPSIN_ROWS, 0, y, pitch)
  const toY = ringRow(side.opsin, OPSIN_ROWS, 1, y, pitch)
  const toB = ringRow(side.opsin, OPSIN_ROWS, 2, y, pitch)
  const ring = <usize>SMOOTH_ROWS * pitch
  const r0 = smoothRow(scale, side, 0, y - 2)
  const r1 = smoothRow(scale, side, 0, y - 1)
  const r2 = smoothRow(scale, side, 0, y)
  const r3 = smoothRow(scale, side, 0, y + 1)
  const r4 = smoothRow(scale, side, 0, y + 2)
  for (let x: usize = 0; x < scale.stride; x += 16) {
    const aroundR = weighDown(x, r0, r1, r2, r3, r4)
    const aroundG = weighDown(x + ring, r0, r1, r2, r3, r4)
    const aroundB = weighDown(x + 2 * ring, r0, r1, r2, r3, r4)
    const longAround = mix(aroundR, aroundG, aroundB, longRed, longGreen, longBlue, bias)
    const middleAround = mix(aroundR, aroundG, aroundB, middleRed, middleGreen, middleBlue, bias)
    const shortAround = mix(aroundR, aroundG, aroundB, shortOther, shortOther, shortBlue, shortBias)
    const r = v128.load(red + x)
    const g = v128.load(green + x)
    const b = v128.load(blue + x)
    const long = f32x4.pmax(f32x4.mul(mix(r, g, b, longRed, longGreen, longBlue, bias), sensitivity(longAround)), all(bias))
    const middle = f32x4.pmax(
      f32x4.mul(mix(r, g, b, middleRed, middleGreen, middleBlue, bias), sensitivity(middleAround)), all(bias),
    )
    const short = f32x4.mul(mix(r, g, b, shortOther, shortOther, shortBlue, shortBias), sensitivity(shortAround))
    v128.store(toX + x, f32x4.sub(long, middle))
    v128.store(toY + x, f32x4.add(long, middle))
    v128.store(toB + x, f32x4.pmax(short, all(shortBias)))
  }
  clearTail(scale, toX)
  clearTail(scale, toY)
  clearTail(scale, toB)
}
