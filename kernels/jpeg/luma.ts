// Luma, a row of blocks at a time: RGB to Y, moved so that pixels keep their luminance next to subsampled chroma, and transformed.
// Also the means and variances of each block.
import { heightInBlocks, strideOf, widthInBlocks } from './components'
import { transformBlock } from './forward'
import { luminanceMeans, luminanceRow } from './linear-luminance'
import { four, lumaOf, repeatEdge } from './planes'
import { storePair } from '../common/pairs'
import { codes, halfWay } from './srgb-slope'
import { splitRow } from './split'

/** 128; the shares of red, green and blue in luminance; what keeps a slope from being zero. */
const LUMINANCE: usize = memory.data<f32>([128, 0.3, 0.622, 0.078, 0.0255], 16)
/** How red and blue, then green, follow chroma; how near a pixel's spread chroma is to its own for luma to stay: 1. */
const FOLLOW: usize = memory.data<f32>([1.402, 1.772, 0.344136, 0.714136, 0.75, 0.25], 16)
// @ts-ignore: decorator
@inline function share(v: v128, i: usize): v128 { return f32x4.mul(v, v128.load_splat<f32>(LUMINANCE + i * 4)) }
// @ts-ignore: decorator
@inline function follow(v: v128, i: usize): v128 { return f32x4.mul(v, v128.load_splat<f32>(FOLLOW + i * 4)) }
// @ts-ignore: decorator
@inline function blend(near: v128, next: v128): v128 { return f32x4.add(follow(near, 4), follow(next, 5)) }

/** A row of chroma blended with its neighbour 3:1, as decoders do down the picture; the ends repeated at either side of `to`. */
function blendRows(plane: usize, padded: i32, wide: i32, high: i32, v: i32, y: i32, to: usize): void {
  const near = v == 2 ? y >> 1 : y
  const next = v == 2 ? max(0, min(high - 1, y & 1 ? near + 1 : near - 1)) : near
  const a = plane + <usize>(near * padded) * 4
  const b = plane + <usize>(next * padded) * 4
  for (let i: usize = 0; i < <usize>padded * 4; i += 16) v128.store(to + i, blend(v128.load(a + i), v128.load(b + i)))
  store<f32>(to - 4, load<f32>(to))
  store<f32>(to + <usize>wide * 4, load<f32>(to + <usize>(wide - 1) * 4))
}

/** A row of chroma at `width` pixels, from one with the ends repeated at either side: each near sample blended with the next 3:1. */
function spreadRow(from: usize, width: i32, to: usize): void {
  from -= 4
  for (let x = 0; x < width; x += 4, from += 8, to += 16) {
    const v = v128.load(from)
    v128.store(to, blend(v128.shuffle<f32>(v, v, 1, 1, 2, 2), v128.shuffle<f32>(v, v, 0, 2, 1, 3)))
  }
}

/** Luma of a row of split pixels, less 128. */
function plainRow(row: usize, step: usize, width: i32, to: usize): void {
  const middle = v128.load_splat<f32>(LUMINANCE)
  for (let x = 0; x < width; x += 4, row += 4, to += 16) {
    const r = four(row)
    const y = step == 0 ? r : lumaOf(r, four(row + step), four(row + 2 * step))
    v128.store(to, f32x4.sub(y, middle))
  }
}

/** Four of eight samples as floats, the lower ones (`k` 0) or the upper ones (16). */
// @ts-ignore: decorator
@inline function float(samples: v128, k: usize): v128 {
  return f32x4.convert_i32x4_u(k == 0 ? i32x4.extend_low_i16x8_u(samples) : i32x4.extend_high_i16x8_u(samples))
}
/** Red, then blue, of a luma and the chroma at `p`. */
// @ts-ignore: decorator
@inline function redBeside(luma: v128, p: usize, k: usize): v128 { return f32x4.add(luma, follow(v128.load(p + k), 0)) }
// @ts-ignore: decorator
@inline function blueBeside(luma: v128, p: usize, k: usize): v128 { return f32x4.add(luma, follow(v128.load(p + k), 1)) }
/** Where red and blue are so near to the pixel's own that its luma stays. */
// @ts-ignore: decorator
@inline function staying(r0: v128, r1: v128, b0: v128, b1: v128): v128 {
  return v128.and(
    f32x4.lt(f32x4.abs(f32x4.sub(b0, b1)), v128.load_splat<f32>(FOLLOW, 4)),
    f32x4.lt(f32x4.abs(f32x4.sub(r0, r1)), v128.load_splat<f32>(FOLLOW)),
  )
}

/** Luma (less 128) moved so that `r1`, `b1` and their green have the luminance of `r0`, `g0`, `b0`. Lanes of `still` do not move. */
// @ts-ignore: decorator
@inline function fitted(
  start: v128, r0: v128, g0: v128, b0: v128, r1: v128, b1: v128, blue: v128, red: v128, still: v128, furthest: v128,
): v128 {
  const r = codes(r1)
  const b = codes(b1)
  const g = codes(f32x4.sub(f32x4.sub(start, follow(blue, 2)), follow(red, 3)))
  const rSlope = share(halfWay(r, r0), 1)
  const gSlope = share(halfWay(g, g0), 2)
  const bSlope = share(halfWay(b, b0), 3)
  const slopes = f32x4.add(f32x4.add(rSlope, gSlope), bSlope)
  const luminance = f32x4.add(f32x4.add(f32x4.mul(rSlope, f32x4.sub(r, r0)), f32x4.mul(gSlope, f32x4.sub(g, g0))), f32x4.mul(bSlope, f32x4.sub(b, b0)))
  const by = f32x4.div(luminance, f32x4.add(slopes, v128.load_splat<f32>(LUMINANCE, 16)))
  const moved = codes(f32x4.sub(start, f32x4.pmax(f32x4.neg(furthest), f32x4.pmin(furthest, by))))
  return f32x4.sub(v128.bitselect(start, moved, still), v128.load_splat<f32>(LUMINANCE))
}

/** The same, each luma moved by up to `most` so that its luminance with the chroma at `blues` and `reds` is the pixel's own. */
function fittedRow(row: usize, step: usize, width: i32, blues: usize, reds: usize, most: f32, to: usize): void {
  const furthest = f32x4.splat(most)
  for (let x = 0; x < width; x += 8, row += 8, to += 32, blues += 32, reds += 32) {
    const reds0 = v128.load8x8_u(row)
    const greens0 = v128.load8x8_u(row + step)
    const blues0 = v128.load8x8_u(row + 2 * step)
    const r0 = float(reds0, 0)
    const r0Upper = float(reds0, 16)
    const g0 = float(greens0, 0)
    const g0Upper = float(greens0, 16)
    const b0 = float(blues0, 0)
    const b0Upper = float(blues0, 16)
    const start = lumaOf(r0, g0, b0)
    const startUpper = lumaOf(r0Upper, g0Upper, b0Upper)
    const r1 = redBeside(start, reds, 0)
    const r1Upper = redBeside(startUpper, reds, 16)
    const b1 = blueBeside(start, blues, 0)
    const b1Upper = blueBeside(startUpper, blues, 16)
    const still = staying(r0, r1, b0, b1)
    const stillUpper = staying(r0Upper, r1Upper, b0Upper, b1Upper)
    if (i32x4.all_true(v128.and(still, stillUpper))) {
      storePair(to, f32x4.sub(start, v128.load_splat<f32>(LUMINANCE)), f32x4.sub(startUpper, v128.load_splat<f32>(LUMINANCE)))
      continue
    }
    storePair(
      to,
      fitted(start, r0, g0, b0, r1, b1, v128.load(blues), v128.load(reds), still, furthest),
      fitted(startUpper, r0Upper, g0Upper, b0Upper, r1Upper, b1Upper, v128.load(blues, 16), v128.load(reds, 16), stillUpper, furthest),
    )
  }
}

@unmanaged class LumaBlocks {
  from: usize
  channels: i32
  width: i32
  height: i32
  v: i32
  cb: usize
  cr: usize
  padded: i32
  most: f32
  dct: usize
  activities: usize
  luminances: usize
  scratch: usize
}

/**
 * Transforms component 0 of the `width` x `height` pixels of `channels` bytes at `from` into `dct` (64 floats a block, zigzag order,
 * rows of `stride` blocks). With `cb` and `cr` (planes of `padded` floats a row, `h` x `v` pixels a sample, halved across) each luma moves by
 * up to `most`. Gives of each block, densely, the four quadrants' variances at `activities` and the mean luminance of red, green and
 * blue at `luminances`. `scratch`: 48 * stride + 4 * (10 * 8 * stride + 160) + 3 * (width + 48) + 8 * (padded + 16) bytes.
 */
export function lumaBlocks(given: LumaBlocks): void {
  let from = given.from
  let channels = given.channels
  let width = given.width
  let height = given.height
  let v = given.v
  let cb = given.cb
  let cr = given.cr
  let padded = given.padded
  let most = given.most
  let dct = given.dct
  let activities = given.activities
  let luminances = given.luminances
  let scratch = given.scratch
  const wide = widthInBlocks(0)
  const across = strideOf(0) * 8
  // Rows are not a multiple of 4 kB apart, so that eight of them fit the first cache together.
  const rowBytes = <usize>(across + 16) * 4
  const sums = scratch
  const strip = sums + <usize>(wide + 1) * 48
  const step = <usize>((width + 47) & ~15)
  const split = strip + rowBytes * 8
  const blues = split + step * 3 + 16
  const reds = blues + <usize>(padded + 8) * 4
  const spreadBlues = reds + <usize>(padded + 8) * 4
  const spreadReds = spreadBlues + rowBytes
  const chromaWide = (width + 1) >> 1
  const chromaHigh = (height + v - 1) / v
  const colour = channels > 2
  memory.fill(sums, 0, <usize>wide * 48)
  for (let y0 = 0; y0 < height; y0 += 8) {
    const rows = min(8, height - y0)
    for (let i = 0; i < rows; i++) {
      const y = y0 + i
      const to = strip + <usize>i * rowBytes
      splitRow(from + <usize>(y * width) * channels, channels, width, split, step)
      luminanceRow(split, colour ? step : 0, width, sums)
      if (cb == 0) plainRow(split, colour ? step : 0, width, to)
      else {
        blendRows(cb, padded, chromaWide, chromaHigh, v, y, blues)
        blendRows(cr, padded, chromaWide, chromaHigh, v, y, reds)
        spreadRow(blues, width, spreadBlues)
        spreadRow(reds, width, spreadReds)
        fittedRow(split, step, width, spreadBlues, spreadReds, most, to)
      }
      repeatEdge(to, width, across)
    }
    for (let i = rows; i < 8; i++) memory.copy(strip + <usize>i * rowBytes, strip + <usize>(rows - 1) * rowBytes, rowBytes)
    for (let x = 0; x < wide; x++) {
      transformBlock(strip + <usize>x * 32, rowBytes, dct + <usize>x * 256)
      activity(strip + <usize>x * 32, rowBytes, activities + <usize>x * 16)
    }
    luminanceMeans(sums, !colour, width, rows, luminances)
    dct += <usize>strideOf(0) * 256
    activities += <usize>wide * 16
    luminances += <usize>wide * 12
  }
}

const SIXTEENTH: usize = memory.data<f32>([0.0625], 16)

/** The variances of a block's four quadrants. */
// @ts-ignore: decorator
@inline function activity(p: usize, step: usize, out: usize): void {
  v128.store(out, v128.shuffle<i64>(halves(p, step), halves(p + 4 * step, step), 0, 2))
}

/** The variances of the 4x4 floats at `p` and of the next four columns, in lanes 0 and 1. */
// @ts-ignore: decorator
@inline function halves(p: usize, step: usize): v128 {
  let s0 = v128.load(p)
  let s1 = v128.load(p, 16)
  let q0 = f32x4.mul(s0, s0)
  let q1 = f32x4.mul(s1, s1)
  for (let i = 0; i < 3; i++) {
    p += step
    const a = v128.load(p)
    const b = v128.load(p, 16)
    s0 = f32x4.add(s0, a)
    s1 = f32x4.add(s1, b)
    q0 = f32x4.add(q0, f32x4.mul(a, a))
    q1 = f32x4.add(q1, f32x4.mul(b, b))
  }
  const pair = f32x4.add(v128.shuffle<f32>(s0, q0, 0, 4, 1, 5), v128.shuffle<f32>(s0, q0, 2, 6, 3, 7))
  const other = f32x4.add(v128.shuffle<f32>(s1, q1, 0, 4, 1, 5), v128.shuffle<f32>(s1, q1, 2, 6, 3, 7))
  // Lanes: sum, sum of squares, of either quadrant.
  const both = f32x4.add(v128.shuffle<i64>(pair, other, 0, 2), v128.shuffle<i64>(pair, other, 1, 3))
  const means = f32x4.mul(both, v128.load_splat<f32>(SIXTEENTH))
  const mean = v128.shuffle<f32>(means, means, 0, 2, 0, 2)
  const square = v128.shuffle<f32>(means, means, 1, 3, 1, 3)
  return f32x4.max(f32x4.splat(0), f32x4.sub(square, f32x4.mul(mean, mean)))
}
