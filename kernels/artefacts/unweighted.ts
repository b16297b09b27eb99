/** Plain places: tiles of 4 px as seen in which all pixels of the reference are about alike. Rows come four by four; whether a tile is plain so far lies with it. */
import { STRIP_ROWS, plainAcross, plainDown, plainMarks, plainPatterns, plainSide } from './layout'

/** Largest difference of a flat tile's pixels from its first one, in levels of any channel. */
const PLAIN: i32 = 5
const leeway = memory.data<u8>([5])
/** Bytes of four pixels of RGB, which one vector holds, where they lie in it, and the first of them four times. */
const FOUR: usize = 12
const fourPixels = memory.data<i32>([-1, -1, -1, 0], 16)
const firstPixel = memory.data<u8>([0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 0, 0, 0], 16)
const PATTERN_BYTES: usize = 16

/** By how much samples of four pixels differ too much from a pattern. */
@inline
function tooFar(at: usize, pattern: v128, most: v128): v128 {
  const samples = v128.load(at)
  const apart = v128.or(i8x16.sub_sat_u(samples, pattern), i8x16.sub_sat_u(pattern, samples))
  return i8x16.sub_sat_u(apart, most)
}

/** Whether four rows of RGB, `stride` bytes apart and a multiple of four pixels long, are near the pixels of a pattern. */
@inline
function isAlikeInColour(from: usize, bytes: usize, stride: usize, pattern: v128): bool {
  const most = v128.load_splat<u8>(leeway)
  let beyond = i8x16.splat(0)
  for (let at = from; at < from + bytes; at += FOUR) {
    const upper = v128.or(tooFar(at, pattern, most), tooFar(at + stride, pattern, most))
    const lower = v128.or(tooFar(at + 2 * stride, pattern, most), tooFar(at + 3 * stride, pattern, most))
    beyond = v128.or(beyond, v128.or(upper, lower))
  }
  return !v128.any_true(v128.and(beyond, v128.load(fourPixels)))
}

/** The same of one row with any number of channels. */
function isRowAlike(from: usize, bytes: usize, channels: usize, pattern: usize): bool {
  for (let at = from; at < from + bytes; at += channels) {
    for (let c: usize = 0; c < channels; c++) {
      if (abs(<i32>load<u8>(at + c) - <i32>load<u8>(pattern + c)) > PLAIN) return false
    }
  }
  return true
}

function isAlike(from: usize, bytes: usize, stride: usize, channels: usize, pattern: usize): bool {
  if (channels == 3) return isAlikeInColour(from, bytes, stride, v128.load(pattern))
  for (let row = 0; row < STRIP_ROWS; row++, from += stride) if (!isRowAlike(from, bytes, channels, pattern)) return false
  return true
}

/** Begins with a tile whose first pixel lies at `from`. */
@inline
function setPattern(from: usize, channels: usize, pattern: usize): void {
  const samples = v128.load(from)
  v128.store(pattern, channels == 3 ? i8x16.swizzle(samples, v128.load(firstPixel)) : samples)
}

/** Takes four rows of the reference's samples from row y on, `stride` bytes apart. */
export function markPlain(from: usize, stride: usize, channels: usize, y: i32): void {
  const row = y / plainSide
  if (row >= plainDown) return
  const isFirst = y % plainSide == 0
  const bytes = <usize>plainSide * channels
  let mark = plainMarks + <usize>(row * plainAcross)
  let pattern = plainPatterns
  for (let column = 0; column < plainAcross; column++, from += bytes, pattern += PATTERN_BYTES, mark++) {
    if (isFirst) setPattern(from, channels, pattern)
    else if (!load<u8>(mark)) continue
    store<u8>(mark, isAlike(from, bytes, stride, channels, pattern))
  }
}
