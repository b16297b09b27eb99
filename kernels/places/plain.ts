/** Plain places: tiles of 4 px as seen in which all pixels of the reference are about alike. Rows come one by one; whether a tile is plain so far lies with it. */
import { plainAcross, plainDown, plainMarks, plainPatterns, plainSide } from './layout'

/** Levels of any channel by which the pixels of a plain tile differ from its first at most. */
const PLAIN: i32 = 5
const leeway = memory.data<u8>([5])
/** Bytes of four pixels of RGB, which one vector holds, where they lie in it, and the first of them four times. */
const FOUR: usize = 12
const fourPixels = memory.data<i32>([-1, -1, -1, 0], 16)
const firstPixel = memory.data<u8>([0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 0, 0, 0], 16)
const PATTERN_BYTES: usize = 16
/** Whether samples of RGB, four pixels at a time, are near those of a pattern. */
@inline
function isAlikeInColour(from: usize, until: usize, pattern: v128): bool {
  const most = v128.load_splat<u8>(leeway)
  let beyond = i8x16.splat(0)
  for (; from < until; from += FOUR) {
    const samples = v128.load(from)
    const apart = v128.or(i8x16.sub_sat_u(samples, pattern), i8x16.sub_sat_u(pattern, samples))
    beyond = v128.or(beyond, i8x16.sub_sat_u(apart, most))
  }
  return !v128.any_true(v128.and(beyond, v128.load(fourPixels)))
}

function isAlike(from: usize, until: usize, channels: usize, pattern: usize): bool {
  if (channels == 3) return isAlikeInColour(from, until, v128.load(pattern))
  for (; from < until; from += channels) {
    for (let c: usize = 0; c < channels; c++) {
      if (abs(<i32>load<u8>(from + c) - <i32>load<u8>(pattern + c)) > PLAIN) return false
    }
  }
  return true
}

/** Begins with a tile whose first pixel lies at `from`. */
@inline
function setPattern(from: usize, channels: usize, pattern: usize): void {
  const samples = v128.load(from)
  v128.store(pattern, channels == 3 ? i8x16.swizzle(samples, v128.load(firstPixel)) : samples)
}

/** Takes row y of the reference's samples. */
export function markPlainRow(from: usize, channels: usize, y: i32): void {
  const row = y / plainSide
  if (row >= plainDown) return
  const isFirst = y % plainSide == 0
  const bytes = <usize>plainSide * channels
  let mark = plainMarks + <usize>(row * plainAcross)
  let pattern = plainPatterns
  for (let column = 0; column < plainAcross; column++, from += bytes, pattern += PATTERN_BYTES, mark++) {
    if (isFirst) {
      store<u8>(mark, 1)
      setPattern(from, channels, pattern)
    }
    if (load<u8>(mark) && !isAlike(from, from + bytes, channels, pattern)) store<u8>(mark, 0)
  }
}
