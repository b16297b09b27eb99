// Offsets of each block's DC that keep its luminance; see linear-luminance.ts in src/jpeg for why.
import { coefsOf, heightInBlocks, strideOf, widthInBlocks } from './components'
import { power } from './power'

/** Of each component, by red, green and blue: what of their luminance it is to keep; how their code values follow it. */
const KEPT: usize = memory.data<f32>([0.3, 0.622, 0.078, 0.243, 0.205, 0.552, 1, -1, 0], 16)
const FOLLOWS: usize = memory.data<f32>([1, 1, 1, 0, -0.344, 1.772, 1.402, -0.714, 0], 16)
/** No block's mean moves further, in code values. */
const furthest: f32 = 5
/** Slopes far below this (a middle grey's is 0.0037) are too dark to be seen, and not worth a correction. */
const faint: f32 = 0.0008

/** How much more luminance one more code value is where the luminance is that at `at`, for `n` floats (and up to three behind them). */
export function luminanceSlopes(at: usize, n: i32, out: usize): void {
  const straight = f32x4.splat(1 / (255 * 12.92))
  const factor = f32x4.splat(2.4 / 1.055 / 255)
  const dark = f32x4.splat(0.0031308)
  for (let i: usize = 0; i < <usize>n * 4; i += 16) {
    const luminance = v128.load(at + i)
    const curved = f32x4.mul(factor, power(f32x4.pmax(luminance, dark), f32x4.splat(1.4 / 2.4)))
    v128.store(out + i, v128.bitselect(curved, straight, f32x4.gt(luminance, dark)))
  }
}

/** Means over `h` x `v` blocks of luma of `n` floats a block, from rows of `wide` to those of component 1. */
export function coarsen(from: usize, n: i32, h: i32, v: i32, to: usize): void {
  const wide = widthInBlocks(0)
  const high = heightInBlocks(0)
  for (let y = 0; y < heightInBlocks(1); y++) {
    const rows = min(v, high - y * v)
    for (let x = 0; x < widthInBlocks(1); x++, to += <usize>n * 4) {
      const columns = min(h, wide - x * h)
      const share: f32 = 1 / <f32>(rows * columns)
      for (let i = 0; i < n; i++) {
        let sum: f32 = 0
        for (let by = y * v; by < y * v + rows; by++) {
          for (let bx = x * h; bx < x * h + columns; bx++) sum += load<f32>(from + <usize>((by * wide + bx) * n + i) * 4)
        }
        store<f32>(to + <usize>i * 4, sum * share)
      }
    }
  }
}

@unmanaged class FitDcOffsets {
  c: i32
  dct: usize
  step: f32
  wanted: usize
  slopes: usize
  reconstructed: usize
  moved: usize
  part: f32
  known: i32
  dcOffsets: usize
  expected: usize
}

/**
 * Updates the DC offsets of component `c` at `dcOffsets`, in eighths of code values. `known` says that offsets stand there already.
 * `expected`, unless 0, gets the change of DC that they and the end of rounding will bring. `step` is DC's quantisation step.
 * `wanted`, `slopes` and `reconstructed` are the source's luminance, its slope and a trial's luminance, three floats a block.
 * `moved`, unless 0, is the expected change of luma. `part` is the share of the loss to compensate.
 */
export function fitDcOffsets(given: FitDcOffsets): void {
  let c = given.c
  let dct = given.dct
  let step = given.step
  let wanted = given.wanted
  let slopes = given.slopes
  let reconstructed = given.reconstructed
  let moved = given.moved
  let part = given.part
  let known: bool = given.known != 0
  let dcOffsets = given.dcOffsets
  let expected = given.expected
  const k = KEPT + <usize>c * 12
  const f = FOLLOWS + <usize>c * 12
  for (let y = 0, b: usize = 0; y < heightInBlocks(c); y++) {
    for (let x = 0; x < widthInBlocks(c); x++, b += 4, wanted += 12, slopes += 12, reconstructed += 12) {
      const i = <usize>(y * strideOf(c) + x)
      const s0 = load<f32>(k) * load<f32>(slopes)
      const s1 = load<f32>(k, 4) * load<f32>(slopes, 4)
      const s2 = load<f32>(k, 8) * load<f32>(slopes, 8)
      let lost = load<f32>(k) * (load<f32>(wanted) - load<f32>(reconstructed))
      lost += load<f32>(k, 4) * (load<f32>(wanted, 4) - load<f32>(reconstructed, 4))
      lost += load<f32>(k, 8) * (load<f32>(wanted, 8) - load<f32>(reconstructed, 8))
      if (moved != 0) lost -= (s0 + s1 + s2) * load<f32>(moved + b)
      const slope = s0 * load<f32>(f) + s1 * load<f32>(f, 4) + s2 * load<f32>(f, 8)
      const was: f32 = known ? load<f32>(dcOffsets + b) / 8 : 0
      // The rounding error of the shifted target ends by itself.
      const rounding = (load<f32>(dct + i * 256) - <f32>load<i16>(coefsOf(c) + i * 128) * step) / 8 + was
      const loss = (lost * slope) / (slope * slope + faint * faint)
      const now = max(-furthest, min(furthest, was + part * (loss - rounding)))
      store<f32>(dcOffsets + b, 8 * now)
      if (expected != 0) store<f32>(expected + b, now - was + rounding)
    }
  }
}
