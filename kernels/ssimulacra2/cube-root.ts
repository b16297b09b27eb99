/** Cube roots of four values at once. */
import { all } from '../common/broadcast'

const one = memory.data<f32>([1])
/** The bits of 1 / cbrt(a), guessed: these less a third of a's; and that third of the upper 16 bits, as a pair to multiply with. */
const guessFrom = memory.data<i32>([0x549c7000])
const thirdOfUpper = memory.data<i16>([0, 0x5555], 4)
const bendOnce = memory.data<f32>([0.33086833])
const bendTwice = memory.data<f32>([0.26873307])
const twoThirds = memory.data<f32>([0.6666667])
const ninth = memory.data<f32>([0.11111111])

/**
 * Cube root of four values within 0.0035 .. 1.05, to 1.3e-7 of the value and without a division. It refines r = 1 / cbrt(a)
 * by h = 1 - a r³. The first guess is a third of the bits (within 4 %). Then comes r (1 + 0.331 h + 0.269 h²), within 4.4e-5, with
 * factors fitted to this guess. The last step is on a r² itself, where h counts twice.
 */
@inline
export function cubeRoot(a: v128): v128 {
  return refined(a, inverseRoot(a))
}

/**
 * The mean of the cube roots of a - h and a + h, within 1e-5 where h is at most an eighth of a. It is a series up to the second power of
 * h / a, from the inverse root.
 */
@inline
export function meanCubeRoot(a: v128, h: v128): v128 {
  const inverse = inverseRoot(a)
  const root = refined(a, inverse)
  const part = f32x4.mul(f32x4.mul(h, inverse), f32x4.mul(inverse, inverse))
  return f32x4.sub(root, f32x4.mul(root, f32x4.mul(f32x4.mul(part, part), all(ninth))))
}

/** 1 / cbrt(a) within 4.4e-5. */
@inline
function inverseRoot(a: v128): v128 {
  const guess = i32x4.sub(all(guessFrom), i32x4.dot_i16x8_s(a, all(thirdOfUpper)))
  const h = f32x4.sub(all(one), f32x4.mul(a, f32x4.mul(f32x4.mul(guess, guess), guess)))
  const bend = f32x4.mul(h, f32x4.add(all(bendOnce), f32x4.mul(h, all(bendTwice))))
  return f32x4.add(guess, f32x4.mul(guess, bend))
}

@inline
function refined(a: v128, inverse: v128): v128 {
  const root = f32x4.mul(a, f32x4.mul(inverse, inverse))
  const rest = f32x4.sub(all(one), f32x4.mul(root, inverse))
  return f32x4.add(root, f32x4.mul(root, f32x4.mul(rest, all(twoThirds))))
}
