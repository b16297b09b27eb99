/**
 * Colour in plain places: the light of tiles of 4 px as seen in which all pixels of the reference are about alike. Rows come one by one;
 * whether a tile is plain so far lies with it.
 */
import { plainAcross, plainDown, plainMarks, plainPatterns, plainShown, plainSide, plainWas } from './layout'

/** Levels of any channel by which the pixels of a plain tile differ from its first at most. */
const PLAIN: i32 = 5
const leeway = memory.data<u8>([5])
/** Bytes of four pixels of RGB, which one vector holds, where they lie in it, and the first of them four times. */
const FOUR: usize = 12
const fourPixels = memory.data<i32>([-1, -1, -1, 0], 16)
const firstPixel = memory.data<u8>([0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 0, 0, 0], 16)
const PATTERN_BYTES: usize = 16
/** Sums of red, green and blue of a tile. */
const SUMS_BYTES: usize = 12

/** Steps count for less in the dark: each sample value 0..255 between sRGB's and linear light, 256 floats. */
const brightness: usize = memory.data(1024, 16)

export function fillBrightness(): void {
  for (let value: u32 = 0; value < 256; value++) {
    store<f32>(brightness + (value << 2), <f32>(255 * Math.pow(<f64>value / 255, 1.25)))
  }
}

@inline
function brightnessOf(sample: usize): f32 {
  return load<f32>(brightness + (<usize>load<u8>(sample) << 2))
}

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

/** The light of one channel of four pixels of RGB. */
@inline
function lightOfFour(from: usize): f32 {
  return brightnessOf(from) + brightnessOf(from + 3) + (brightnessOf(from + 6) + brightnessOf(from + 9))
}

/** Adds a row of a tile of RGB. */
@inline
function addLightInColour(from: usize, until: usize, to: usize): void {
  for (; from < until; from += FOUR) {
    store<f32>(to, load<f32>(to) + lightOfFour(from))
    store<f32>(to, load<f32>(to, 4) + lightOfFour(from + 1), 4)
    store<f32>(to, load<f32>(to, 8) + lightOfFour(from + 2), 8)
  }
}

/** Adds a row of a tile; what is transparent has as little light as it shows, on black and on white alike. Grey has no colour to tell of. */
@inline
function addLight(from: usize, until: usize, channels: usize, to: usize): void {
  let red: f32 = 0
  let green: f32 = 0
  let blue: f32 = 0
  for (; from < until; from += channels) {
    const alpha: f32 = channels == 4 ? <f32>load<u8>(from, 3) / 255 : 1
    red += brightnessOf(from) * alpha
    green += brightnessOf(from + 1) * alpha
    blue += brightnessOf(from + 2) * alpha
  }
  store<f32>(to, load<f32>(to) + red)
  store<f32>(to, load<f32>(to, 4) + green, 4)
  store<f32>(to, load<f32>(to, 8) + blue, 8)
}

@inline
function clearSums(to: usize): void {
  store<f32>(to, 0)
  store<f32>(to, 0, 4)
  store<f32>(to, 0, 8)
}

/** Takes row y of samples. Of the reference it finds which tiles are plain, of either side it adds up the light of those. */
export function takePlainRow(from: usize, channels: usize, y: i32, isReference: bool): void {
  const row = y / plainSide
  if (row >= plainDown) return
  const isFirst = y % plainSide == 0
  const bytes = <usize>plainSide * channels
  const tile = <usize>(row * plainAcross)
  let mark = plainMarks + tile
  let to = (isReference ? plainWas : plainShown) + tile * SUMS_BYTES
  let pattern = plainPatterns
  for (let column = 0; column < plainAcross; column++, from += bytes, to += SUMS_BYTES, pattern += PATTERN_BYTES, mark++) {
    if (isFirst) {
      clearSums(to)
      if (isReference) {
        store<u8>(mark, 1)
        setPattern(from, channels, pattern)
      }
    }
    if (!load<u8>(mark)) continue
    if (isReference && !isAlike(from, from + bytes, channels, pattern)) store<u8>(mark, 0)
    else if (channels == 3) addLightInColour(from, from + bytes, to)
    else if (channels > 2) addLight(from, from + bytes, channels, to)
  }
}
