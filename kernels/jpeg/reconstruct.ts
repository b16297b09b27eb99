// From the component planes to RGB as libjpeg shows them: "fancy" upsampling (3/4 of the near sample, 1/4 of the next)
// and its integer colour conversion, both exactly; or each block's luminance of that.
import { KEEP, luminanceMeans, luminanceRow, luminances } from './linear-luminance'

/**
 * Two pairs of green's factors (-0.344136, and 1 - 0.714136, in 65536ths); then a half of those. libjpeg's other two products
 * are, at all 256 values, what rounded products of 32768ths give: 1.402 = 1 + 13175, 1.772 = 1 + 25298; found by trying all.
 */
const GREEN: usize = memory.data<i16>([-22554, 18734], 4)
const HALF: usize = memory.data<i32>([32768], 4)
const FACTORS: usize = memory.data<i16>([13175, 25298, 128, 3], 4)
/** Where the bytes of three vectors of red, green and blue go in 48: for each of the three results from red, green, blue. */
const INTO: usize = memory.data<u8>([
  0, 128, 128, 1, 128, 128, 2, 128, 128, 3, 128, 128, 4, 128, 128, 5,
  128, 0, 128, 128, 1, 128, 128, 2, 128, 128, 3, 128, 128, 4, 128, 128,
  128, 128, 0, 128, 128, 1, 128, 128, 2, 128, 128, 3, 128, 128, 4, 128,
  128, 128, 6, 128, 128, 7, 128, 128, 8, 128, 128, 9, 128, 128, 10, 128,
  5, 128, 128, 6, 128, 128, 7, 128, 128, 8, 128, 128, 9, 128, 128, 10,
  128, 5, 128, 128, 6, 128, 128, 7, 128, 128, 8, 128, 128, 9, 128, 128,
  128, 11, 128, 128, 12, 128, 128, 13, 128, 128, 14, 128, 128, 15, 128, 128,
  128, 128, 11, 128, 128, 12, 128, 128, 13, 128, 128, 14, 128, 128, 15, 128,
  10, 128, 128, 11, 128, 128, 12, 128, 128, 13, 128, 128, 14, 128, 128, 15,
], 16)

// @ts-ignore: decorator
@inline function interleaved(r: v128, g: v128, b: v128, third: usize): v128 {
  const at = INTO + third * 48
  const rg = v128.or(i8x16.swizzle(r, v128.load(at)), i8x16.swizzle(g, v128.load(at, 16)))
  return v128.or(rg, i8x16.swizzle(b, v128.load(at, 32)))
}

/** Green's share of chroma: (blue * -22554 + red * 18734 + 32768) >> 16 in eight lanes. */
// @ts-ignore: decorator
@inline function greens(blue: v128, red: v128): v128 {
  const factors = v128.load_splat<i32>(GREEN)
  const half = v128.load_splat<i32>(HALF)
  const low = i32x4.dot_i16x8_s(v128.shuffle<i16>(blue, red, 0, 8, 1, 9, 2, 10, 3, 11), factors)
  const high = i32x4.dot_i16x8_s(v128.shuffle<i16>(blue, red, 4, 12, 5, 13, 6, 14, 7, 15), factors)
  return i16x8.narrow_i32x4_s(i32x4.shr_s(i32x4.add(low, half), 16), i32x4.shr_s(i32x4.add(high, half), 16))
}

// @ts-ignore: decorator
@inline function addLight(sums: usize, samples: v128, keep: v128): void {
  v128.store(sums, i32x4.add(v128.load(sums), luminances(v128.and(i16x8.sub(samples, v128.load_splat<i16>(FACTORS, 4)), keep))))
}

/** One row of `width` pixels: written to `to` and up to 45 bytes beyond; or, with `lit`, only added to the blocks' sums of luminance. */
// @ts-ignore: decorator
@inline function colourRow(y: usize, cb: usize, cr: usize, to: usize, width: i32, lit: bool, sums: usize): void {
  for (let x = 0; x < width; x += 16, y += 16, cb += 16, cr += 16, to += 48) {
    const middle = v128.load_splat<i16>(FACTORS, 4)
    const blue0 = i16x8.sub(v128.load8x8_u(cb), middle)
    const blue1 = i16x8.sub(v128.load8x8_u(cb, 8), middle)
    const red0 = i16x8.sub(v128.load8x8_u(cr), middle)
    const red1 = i16x8.sub(v128.load8x8_u(cr, 8), middle)
    const luma0 = v128.load8x8_u(y)
    const luma1 = v128.load8x8_u(y, 8)
    const yr0 = i16x8.add(luma0, i16x8.q15mulr_sat_s(red0, v128.load_splat<i16>(FACTORS)))
    const yr1 = i16x8.add(luma1, i16x8.q15mulr_sat_s(red1, v128.load_splat<i16>(FACTORS)))
    const r = i8x16.narrow_i16x8_u(i16x8.add(yr0, red0), i16x8.add(yr1, red1))
    const yb0 = i16x8.add(luma0, i16x8.q15mulr_sat_s(blue0, v128.load_splat<i16>(FACTORS, 2)))
    const yb1 = i16x8.add(luma1, i16x8.q15mulr_sat_s(blue1, v128.load_splat<i16>(FACTORS, 2)))
    const b = i8x16.narrow_i16x8_u(i16x8.add(yb0, blue0), i16x8.add(yb1, blue1))
    const yg0 = i16x8.add(i16x8.sub(luma0, red0), greens(blue0, red0))
    const yg1 = i16x8.add(i16x8.sub(luma1, red1), greens(blue1, red1))
    const g = i8x16.narrow_i16x8_u(yg0, yg1)
    if (!lit) {
      v128.store(to, interleaved(r, g, b, 0))
      v128.store(to, interleaved(r, g, b, 1), 16)
      v128.store(to, interleaved(r, g, b, 2), 32)
      continue
    }
    const keep0 = v128.load(KEEP + 16 - 2 * <usize>min(8, width - x))
    addLight(sums, i16x8.extend_low_i8x16_u(r), keep0)
    addLight(sums + 16, i16x8.extend_low_i8x16_u(g), keep0)
    addLight(sums + 32, i16x8.extend_low_i8x16_u(b), keep0)
    const keep1 = v128.load(KEEP + 16 - 2 * <usize>max(0, min(8, width - x - 8)))
    addLight(sums + 48, i16x8.extend_high_i8x16_u(r), keep1)
    addLight(sums + 64, i16x8.extend_high_i8x16_u(g), keep1)
    addLight(sums + 80, i16x8.extend_high_i8x16_u(b), keep1)
    sums += 96
  }
}

function shownRow(y: usize, cb: usize, cr: usize, to: usize, width: i32): void { colourRow(y, cb, cr, to, width, false, 0) }
function litRow(y: usize, cb: usize, cr: usize, width: i32, sums: usize): void { colourRow(y, cb, cr, 0, width, true, sums) }

/** Sums of a chroma row and its neighbour, 3:1, as 16 bits with one repeated at either end; `sums` has room for wide + 18. */
function columnSums(near: usize, next: usize, wide: i32, sums: usize): void {
  const three = v128.load_splat<i16>(FACTORS, 6)
  for (let x = 0; x < wide; x += 8) {
    const s = i16x8.add(i16x8.mul(v128.load8x8_u(near + <usize>x), three), v128.load8x8_u(next + <usize>x))
    v128.store(sums + <usize>(x + 1) * 2, s)
  }
  store<i16>(sums, load<i16>(sums + 2))
  store<i16>(sums + <usize>(wide + 1) * 2, load<i16>(sums + <usize>wide * 2))
}

/** Rounding terms before `bits` are dropped, left and right: for four times a sample (2 bits), for sixteen times (4 bits). */
const ROUND: usize = memory.data<i16>([1, 2, 8, 7], 4)

/** Twice as many samples as `wide`: each sum is four times a sample (`bits` 4), or the sample itself times one (`bits` 2). */
function spread(sums: usize, wide: i32, to: usize, bits: i32): void {
  const three = v128.load_splat<i16>(FACTORS, 6)
  const left = v128.load_splat<i16>(ROUND + <usize>(bits & 4))
  const right = v128.load_splat<i16>(ROUND + <usize>(bits & 4) + 2)
  for (let x = 0; x < wide; x += 8) {
    const mid = i16x8.mul(v128.load(sums + <usize>(x + 1) * 2), three)
    const l = i16x8.shr_u(i16x8.add(i16x8.add(mid, v128.load(sums + <usize>x * 2)), left), bits)
    const r = i16x8.shr_u(i16x8.add(i16x8.add(mid, v128.load(sums + <usize>(x + 2) * 2)), right), bits)
    v128.store(to + <usize>x * 2, v128.or(l, i16x8.shl(r, 8)))
  }
}

/** Each sample twice: what libjpeg does where a row has fewer than three. */
function double(from: usize, wide: i32, to: usize): void {
  for (let x = 0; x < wide; x++) store<u16>(to + <usize>x * 2, <u16>load<u8>(from + <usize>x) * 257)
}

/** One row of chroma at full width: row `y` of the picture, from a plane of `high` rows of `wide` samples, `step` bytes apart. */
function chromaRow(plane: usize, step: usize, wide: i32, high: i32, h: i32, v: i32, y: i32, sums: usize, to: usize): usize {
  const row = v == 2 ? y >> 1 : y
  const near = plane + <usize>row * step
  if (h == 1) return near
  if (wide < 3) {
    double(near, wide, to)
    return to
  }
  if (v == 1) {
    for (let x = 0; x < wide; x += 8) v128.store(sums + <usize>(x + 1) * 2, v128.load8x8_u(near + <usize>x))
    store<i16>(sums, load<i16>(sums + 2))
    store<i16>(sums + <usize>(wide + 1) * 2, load<i16>(sums + <usize>wide * 2))
    spread(sums, wide, to, 2)
    return to
  }
  const other = max(0, min(high - 1, y & 1 ? row + 1 : row - 1))
  columnSums(near, plane + <usize>other * step, wide, sums)
  spread(sums, wide, to, 4)
  return to
}

@unmanaged class Reconstruct {
  y: usize
  yStep: usize
  cb: usize
  cr: usize
  cStep: usize
  wide: i32
  high: i32
  h: i32
  v: i32
  width: i32
  height: i32
  to: usize
  means: usize
  scratch: usize
}

/**
 * RGB of `width` x `height` pixels at `to` (which has 48 bytes of slack behind). Planes: luma with rows `yStep` bytes
 * apart, chroma `cStep` with `wide` x `high` samples that show, subsampled `h` x `v` (1 or 2; 1x2 is not supported).
 * `means`: unless 0, where the blocks' mean luminance goes instead. `scratch`: 8 * wide + 6 * width + 512 bytes.
 */
export function reconstruct(given: Reconstruct): void {
  let y = given.y
  let yStep = given.yStep
  let cb = given.cb
  let cr = given.cr
  let cStep = given.cStep
  let wide = given.wide
  let high = given.high
  let h = given.h
  let v = given.v
  let width = given.width
  let height = given.height
  let to = given.to
  let means = given.means
  let scratch = given.scratch
  const rowSums = scratch
  const blue = rowSums + <usize>((wide + 32) * 2)
  const red = blue + <usize>((wide + 16) * 2)
  const sums = (red + <usize>((wide + 16) * 2) + 15) & ~15
  if (means != 0) memory.fill(sums, 0, <usize>((width + 15) >> 4) * 96)
  for (let row = 0; row < height; row++) {
    const b = chromaRow(cb, cStep, wide, high, h, v, row, rowSums, blue)
    const r = chromaRow(cr, cStep, wide, high, h, v, row, rowSums, red)
    const luma = y + <usize>row * yStep
    if (means == 0) {
      shownRow(luma, b, r, to + <usize>(row * width) * 3, width)
      continue
    }
    litRow(luma, b, r, width, sums)
    if ((row & 7) < 7 && row < height - 1) continue
    luminanceMeans(sums, false, width, (row & 7) + 1, means)
    means += <usize>((width + 7) >> 3) * 12
  }
}

@unmanaged class ReconstructGrey {
  y: usize
  yStep: usize
  width: i32
  height: i32
  to: usize
  means: usize
  scratch: usize
}

/** Grey: the luma rows without their padding, and as above. */
export function reconstructGrey(given: ReconstructGrey): void {
  let y = given.y
  let yStep = given.yStep
  let width = given.width
  let height = given.height
  let to = given.to
  let means = given.means
  let scratch = given.scratch
  if (means != 0) memory.fill(scratch, 0, <usize>((width + 7) >> 3) * 48)
  for (let row = 0; row < height; row++) {
    const luma = y + <usize>row * yStep
    if (means == 0) {
      memory.copy(to + <usize>(row * width), luma, width)
      continue
    }
    luminanceRow(luma, 0, width, scratch)
    if ((row & 7) < 7 && row < height - 1) continue
    luminanceMeans(scratch, true, width, (row & 7) + 1, means)
    means += <usize>((width + 7) >> 3) * 12
  }
}
