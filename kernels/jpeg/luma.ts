// Luma, a row of blocks at a time: RGB to Y, moved so that pixels keep their luminance beside spread chroma, transformed; and
// what is to be known of each block.
import { heightInBlocks, strideOf, widthInBlocks } from './components'
import { transformBlock } from './forward'
import { luminanceMeans, luminanceRow } from './linear-luminance'
import { four, lumaOf, repeatEdge } from './planes'
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

/** Chroma at four pixels from that at `p`, which is one sample left of theirs. */
// @ts-ignore: decorator
@inline function spread(p: usize): v128 {
  const v = v128.load(p)
  return blend(v128.shuffle<f32>(v, v, 1, 1, 2, 2), v128.shuffle<f32>(v, v, 0, 2, 1, 3))
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

/** The same, each luma moved by up to `most` so that the luminance beside the chroma spread from `blues` and `reds` is the pixel's own. */
function fittedRow(row: usize, step: usize, width: i32, blues: usize, reds: usize, most: f32, to: usize): void {
  const furthest = f32x4.splat(most)
  const nearest = f32x4.neg(furthest)
  blues -= 4
  reds -= 4
  for (let x = 0; x < width; x += 4, row += 4, to += 16, blues += 8, reds += 8) {
    const r0 = four(row)
    const g0 = four(row + step)
    const b0 = four(row + 2 * step)
    const start = lumaOf(r0, g0, b0)
    const blue = spread(blues)
    const red = spread(reds)
    const r1 = f32x4.add(start, follow(red, 0))
    const b1 = f32x4.add(start, follow(blue, 1))
    const still = v128.and(
      f32x4.lt(f32x4.abs(f32x4.sub(b0, b1)), v128.load_splat<f32>(FOLLOW, 4)),
      f32x4.lt(f32x4.abs(f32x4.sub(r0, r1)), v128.load_splat<f32>(FOLLOW)),
    )
    if (i32x4.all_true(still)) {
      v128.store(to, f32x4.sub(start, v128.load_splat<f32>(LUMINANCE)))
      continue
    }
    const r = codes(r1)
    const b = codes(b1)
    const g = codes(f32x4.sub(f32x4.sub(start, follow(blue, 2)), follow(red, 3)))
    const rSlope = share(halfWay(r, r0), 1)
    const gSlope = share(halfWay(g, g0), 2)
    const bSlope = share(halfWay(b, b0), 3)
    const slopes = f32x4.add(f32x4.add(rSlope, gSlope), bSlope)
    const luminance = f32x4.add(f32x4.add(f32x4.mul(rSlope, f32x4.sub(r, r0)), f32x4.mul(gSlope, f32x4.sub(g, g0))), f32x4.mul(bSlope, f32x4.sub(b, b0)))
    const by = f32x4.div(luminance, f32x4.add(slopes, v128.load_splat<f32>(LUMINANCE, 16)))
    const moved = codes(f32x4.sub(start, f32x4.pmax(nearest, f32x4.pmin(furthest, by))))
    v128.store(to, f32x4.sub(v128.bitselect(start, moved, still), v128.load_splat<f32>(LUMINANCE)))
  }
}

/**
 * Transforms component 0 of the `width` x `height` pixels of `channels` bytes at `from` into `dct` (64 floats a block, zigzag order,
 * rows of `stride` blocks). With `cb` and `cr` (planes of `padded` floats a row, `h` x `v` pixels a sample, halved across) each luma moves by
 * up to `most`. Gives of each block, densely, the four quadrants' variances at `activities` and the mean luminance of red, green and
 * blue at `luminances`. `scratch`: 48 * stride + 4 * (8 * 8 * stride + 128) + 3 * (width + 48) + 8 * (padded + 16) bytes.
 */
export function lumaBlocks(
  from: usize, channels: i32, width: i32, height: i32, v: i32, cb: usize, cr: usize, padded: i32, most: f32,
  dct: usize, activities: usize, luminances: usize, scratch: usize,
): void {
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
        fittedRow(split, step, width, blues, reds, most, to)
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

/** The variances of the 4x4 floats at `p` and of those beside them, in lanes 0 and 1. */
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
