/**
 * Pixels without the detail that a coarse quantiser shows as noise: hard thresholding of luma's DCT coefficients, averaged over two grids of blocks
 * (Donoho and Johnstone, Ideal spatial adaptation by wavelet shrinkage, 1994; Coifman and Donoho, Translation-invariant de-noising, 1995).
 */
import { inverseBlock, transformTransposed } from '../common/dct'
import { alloc, mark, release } from '../common/memory'

let pixels: usize = 0
/** Luma, and what is to be added to it; rows of `stride` bytes. */
let luma: usize = 0
let change: usize = 0
let width: u32 = 0
let stride: usize = 0
let channels: u32 = 0
/** Coefficients of a block, and the samples of what is taken from it. */
const block = alloc(256)
const taken = alloc(256)
/** Thresholds of the coefficients. */
const limits = alloc(256)
const start = mark()

/** Share of a faint coefficient that each of two grids takes away: 0.6 in all. */
const REMOVED: f32 = 0.3

/** Allocates memory for `rows` rows of interleaved samples. Returns false when there is not enough. */
export function configure(wide: u32, rows: u32, samples: u32): bool {
  release(start)
  width = wide
  channels = samples
  stride = (<usize>wide * 4 + 15) & ~15
  pixels = alloc(wide * rows * samples)
  luma = alloc(<u32>stride * rows)
  change = alloc(<u32>stride * rows)
  return pixels != 0 && luma != 0 && change != 0
}

/** Where samples are read from and written to. */
export function samplesAddress(): usize { return pixels }

/** Thresholds rise from 0 with the sum of both frequencies. */
function fillLimits(highest: f32): void {
  for (let row: usize = 0; row < 8; row++)
    for (let column: usize = 0; column < 8; column++)
      store<f32>(limits + ((row * 8 + column) << 2), highest * <f32>(row + column) / 14)
}

function fillLuma(rows: u32): void {
  memory.fill(change, 0, stride * rows)
  let at = pixels
  for (let row: u32 = 0; row < rows; row++) {
    let to = luma + stride * row
    for (let x: u32 = 0; x < width; x++, at += channels, to += 4)
      store<f32>(to, <f32>0.299 * <f32>load<u8>(at) + <f32>0.587 * <f32>load<u8>(at, 1) + <f32>0.114 * <f32>load<u8>(at, 2))
  }
}

/** Whether a coefficient of the block, apart from its mean, is not faint. Grain of flat blocks hides contours, and takes few bytes. */
@inline
function hasDetail(): bool {
  let reached = i32x4.replace_lane(f32x4.ge(f32x4.abs(v128.load(block)), v128.load(limits)), 0, 0)
  for (let i: usize = 16; i < 256; i += 16)
    reached = v128.or(reached, f32x4.ge(f32x4.abs(v128.load(block + i)), v128.load(limits + i)))
  return v128.any_true(reached)
}

/** Adds what is taken from a block to its 8x8 floats at `to`. */
@inline
function addTaken(to: usize): void {
  for (let from = taken; from < taken + 256; from += 32, to += stride) {
    v128.store(to, f32x4.add(v128.load(to), v128.load(from)))
    v128.store(to, f32x4.add(v128.load(to, 16), v128.load(from, 16)), 16)
  }
}

/** Adds to `change` what one grid takes away: blocks that begin at `first` in both directions. */
function thresholdGrid(rows: u32, first: u32): void {
  for (let y = first; y + 8 <= rows; y += 8) {
    for (let x = first; x + 8 <= width; x += 8) {
      const at = stride * y + (<usize>x << 2)
      transformTransposed(luma + at, stride, block)
      if (!hasDetail()) continue
      for (let i: usize = 0; i < 256; i += 16) {
        const coefficients = v128.load(block + i)
        const isFaint = f32x4.lt(f32x4.abs(coefficients), v128.load(limits + i))
        v128.store(block + i, v128.and(isFaint, f32x4.mul(coefficients, f32x4.splat(-REMOVED))))
      }
      inverseBlock(block, taken)
      addTaken(change + at)
    }
  }
}

@inline
function rounded(sample: u8, added: f32): u8 {
  return <u8>Mathf.max(0, Mathf.min(255, <f32>sample + added + <f32>0.5))
}

/** Pixels with transparency stay: encoders weigh them by it. */
function applyChange(rows: u32): void {
  let at = pixels
  for (let row: u32 = 0; row < rows; row++) {
    let from = change + stride * row
    for (let x: u32 = 0; x < width; x++, at += channels, from += 4) {
      const added = load<f32>(from)
      if (abs(added) < 0.5 || (channels == 4 && load<u8>(at, 3) != 255)) continue
      store<u8>(at, rounded(load<u8>(at), added))
      store<u8>(at, rounded(load<u8>(at, 1), added), 1)
      store<u8>(at, rounded(load<u8>(at, 2), added), 2)
    }
  }
}

/**
 * Takes faint detail from `rows` rows. `highest`: the amplitude in sample values below which the highest frequency is faint. Blocks that reach beyond
 * the rows are left out.
 */
export function soften(rows: u32, highest: f32): void {
  fillLimits(highest)
  fillLuma(rows)
  thresholdGrid(rows, 0)
  thresholdGrid(rows, 4)
  applyChange(rows)
}
