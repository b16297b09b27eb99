/**
 * The mean light of tiles: in linear light for tiles of 16 px, between sRGB's and linear light for flat tiles of 4 px.
 * One look-up returns both for a sample, as integers in the upper and the lower bits of 64, so that one addition sums both.
 */
import { fillFineTable, linearBetween, toLinear } from '../common/linear-light'
import {
  STRIP_ROWS, TILE_BYTES, colourAcross, colourDown, colourSide, colours, plainAcross, plainDown, plainMarks, plainShown, plainSide, plainWas,
  width,
} from './layout'

/** Bits of brightness, below those of linear light; and what is 1 of either. Boxes of 12 x 4 px (a plain tile's share of four rows at a density of 3) fit in. */
const BRIGHT_BITS: u64 = 28
const BRIGHT_MASK: u64 = ((<u64>1) << BRIGHT_BITS) - 1
export const BRIGHT_ONE: f64 = 16384
const LINEAR_ONE: f64 = 1073741824
/** Sums of red, green and blue of a plain tile, in 1/16384 of a sample value. */
export const PLAIN_BYTES: usize = 12

/** Both of each sample value: 256 whole numbers of 64 bits. */
const lights: usize = memory.data(2048, 16)
let isFilled: bool = false
/** Sums of red, green and blue of a box. */
const box: usize = memory.data(24, 16)

/** Fills the table. Steps count for less in the dark: brightness is 255 (value / 255) ^ 1.25. */
export function fillLights(): void {
  if (isFilled) return
  isFilled = true
  for (let value: u32 = 0; value < 256; value++) {
    const bright = <u64>Math.round(255 * Math.pow(<f64>value / 255, 1.25) * BRIGHT_ONE)
    store<u64>(lights + (value << 3), packed(toLinear(<f64>value / 255), bright))
  }
}

@inline
function packed(linear: f32, bright: u64): u64 {
  return (<u64>(<i64>(<f64>linear * LINEAR_ONE + 0.5)) << BRIGHT_BITS) | bright
}

@inline
function lightOf(sample: usize): u64 {
  return load<u64>(lights + (<usize>load<u8>(sample) << 3))
}

// Of RGB, and of RGBA that is opaque; `channels` is a literal.

/** One channel of four pixels. */
@inline
function lightOfFour(at: usize, channels: usize): u64 {
  return lightOf(at) + lightOf(at + channels) + (lightOf(at + 2 * channels) + lightOf(at + 3 * channels))
}

/** One channel of 4 x 4 pixels, whose rows lie `stride` bytes apart. */
@inline
function lightOfSixteen(at: usize, stride: usize, channels: usize): u64 {
  const upper = lightOfFour(at, channels) + lightOfFour(at + stride, channels)
  return upper + (lightOfFour(at + 2 * stride, channels) + lightOfFour(at + 3 * stride, channels))
}

/** Adds up a box of four rows, a multiple of four columns. */
@inline
function sumColour(from: usize, stride: usize, columns: usize, channels: usize): void {
  let red: u64 = 0
  let green: u64 = 0
  let blue: u64 = 0
  for (let at = from; at < from + columns * channels; at += 4 * channels) {
    red += lightOfSixteen(at, stride, channels)
    green += lightOfSixteen(at + 1, stride, channels)
    blue += lightOfSixteen(at + 2, stride, channels)
  }
  keepBox(red, green, blue)
}

/** Whether four rows of RGBA, a multiple of four columns, are opaque. */
function isOpaqueBox(from: usize, stride: usize, columns: usize): bool {
  let least = i32x4.splat(-1)
  for (let at = from; at < from + columns * 4; at += 16) {
    const upper = v128.and(v128.load(at), v128.load(at + stride))
    least = v128.and(least, v128.and(upper, v128.and(v128.load(at + 2 * stride), v128.load(at + 3 * stride))))
  }
  return i32x4.all_true(i32x4.gt_u(least, i32x4.splat(0xfeffffff)))
}

/** Adds up a box of grey. */
function sumGrey(from: usize, stride: usize, columns: usize, rows: i32): void {
  let sum: u64 = 0
  for (; rows > 0; rows--, from += stride) for (let at = from; at < from + columns; at++) sum += lightOf(at)
  keepBox(sum, sum, sum)
}

/** Adds up any box of RGB. */
function sumFewColours(from: usize, stride: usize, columns: usize, rows: i32): void {
  let red: u64 = 0
  let green: u64 = 0
  let blue: u64 = 0
  for (; rows > 0; rows--, from += stride) {
    for (let at = from; at < from + columns * 3; at += 3) {
      red += lightOf(at)
      green += lightOf(at + 1)
      blue += lightOf(at + 2)
    }
  }
  keepBox(red, green, blue)
}

/** Linear light of a sample composited in sRGB; `behind` is the background's grey (0..255) times its weight. */
@inline
function composited(sample: usize, weight: f32, behind: f32): f32 {
  return linearBetween(<f32>load<u8>(sample) * weight + behind)
}

@inline
function linearAlone(sample: usize): f32 {
  return <f32>(lightOf(sample) >> BRIGHT_BITS) * <f32>(1 / LINEAR_ONE)
}

@inline
function brightAlone(sample: usize): f32 {
  return <f32>(<u32>(lightOf(sample) & BRIGHT_MASK))
}

/**
 * Sums a box with alpha as its last channel. Soft pixels are composited in sRGB on `grey` (0..1; below 0: as if opaque).
 * Their second sum, for flat tiles, is only computed with `isPlain`.
 */
function sumAlpha(from: usize, stride: usize, columns: usize, rows: i32, channels: usize, grey: f32, isPlain: bool): void {
  const next: usize = channels > 2 ? 1 : 0
  const isOpaque = grey < 0
  const nothing: f32 = isOpaque ? 0 : linearBetween(grey * 255)
  let red: u64 = 0
  let green: u64 = 0
  let blue: u64 = 0
  let softRed: f32 = 0
  let softGreen: f32 = 0
  let softBlue: f32 = 0
  let brightRed: f32 = 0
  let brightGreen: f32 = 0
  let brightBlue: f32 = 0
  for (; rows > 0; rows--, from += stride) {
    for (let at = from; at < from + columns * channels; at += channels) {
      const alpha: u32 = load<u8>(at + channels - 1)
      if (alpha == 255) {
        red += lightOf(at)
        green += lightOf(at + next)
        blue += lightOf(at + 2 * next)
        continue
      }
      if (alpha == 0 && !isOpaque) {
        softRed += nothing
        softGreen += nothing
        softBlue += nothing
        continue
      }
      const weight = <f32>alpha / 255
      const behind = (<f32>255 - <f32>alpha) * grey
      softRed += isOpaque ? linearAlone(at) : composited(at, weight, behind)
      softGreen += isOpaque ? linearAlone(at + next) : composited(at + next, weight, behind)
      softBlue += isOpaque ? linearAlone(at + 2 * next) : composited(at + 2 * next, weight, behind)
      if (!isPlain) continue
      brightRed += brightAlone(at) * weight
      brightGreen += brightAlone(at + next) * weight
      brightBlue += brightAlone(at + 2 * next) * weight
    }
  }
  keepBox(red + packed(softRed, <u64>brightRed), green + packed(softGreen, <u64>brightGreen), blue + packed(softBlue, <u64>brightBlue))
}

function sumAny(from: usize, stride: usize, columns: usize, rows: i32, channels: usize, grey: f32, isPlain: bool): void {
  if (channels == 3) sumFewColours(from, stride, columns, rows)
  else if (channels == 1) sumGrey(from, stride, columns, rows)
  else if (channels == 4 && rows == STRIP_ROWS && (columns & 3) == 0 && isOpaqueBox(from, stride, columns)) sumColour(from, stride, columns, 4)
  else sumAlpha(from, stride, columns, rows, channels, grey, isPlain)
}

@inline
function keepBox(red: u64, green: u64, blue: u64): void {
  store<u64>(box, red)
  store<u64>(box, green, 8)
  store<u64>(box, blue, 16)
}

@inline
function linearSum(channel: usize): u64 {
  return load<u64>(box + channel) >> BRIGHT_BITS
}

@inline
function addTo(at: usize, sum: u64): void {
  store<f64>(at, load<f64>(at) + <f64>(<i64>sum) * (1 / LINEAR_ONE))
}

/** Puts a box's brightness to that of a plain tile, whose first it may be. */
@inline
function addBright(to: usize, isFirst: bool): void {
  for (let channel: usize = 0; channel < 3; channel++) {
    const before = isFirst ? 0 : load<u32>(to + (channel << 2))
    store<u32>(to + (channel << 2), before + <u32>(load<u64>(box + (channel << 3)) & BRIGHT_MASK))
  }
}

@inline
function takeRows(isColour: bool, from: usize, rows: i32, channels: i32, grey: f32, y: i32, isReference: bool): void {
  const stride = <usize>(width * channels)
  const plainRow = y / plainSide
  const isFirst = y % plainSide == 0
  const firstTile = <usize>(plainRow * plainAcross)
  let mark = plainMarks + firstTile
  let bright = (isReference ? plainWas : plainShown) + firstTile * PLAIN_BYTES
  let to = colours + <usize>(min(colourDown - 1, y / colourSide) * colourAcross) * TILE_BYTES
  for (let tile = 0; tile < colourAcross; tile++, to += TILE_BYTES) {
    const until = tile == colourAcross - 1 ? width : (tile + 1) * colourSide
    let red: u64 = 0
    let green: u64 = 0
    let blue: u64 = 0
    for (let x = tile * colourSide; x < until; x += plainSide) {
      const columns = min(plainSide, until - x)
      const isWhole = columns == plainSide && plainRow < plainDown
      const at = from + <usize>(x * channels)
      if (isColour && columns == plainSide) sumColour(at, stride, columns, 3)
      else sumAny(at, stride, columns, rows, channels, grey, isWhole && load<u8>(mark) != 0)
      red += linearSum(0)
      green += linearSum(8)
      blue += linearSum(16)
      if (!isWhole) continue
      addBright(bright, isFirst)
      mark++
      bright += PLAIN_BYTES
    }
    addTo(to, red)
    addTo(to + 8, green)
    addTo(to + 16, blue)
  }
}

/** Sums up to four rows of samples from row y on, a multiple of four. The reference's flat tiles are marked already. `grey` below 0: no background. */
export function takeLight(from: usize, rows: i32, channels: i32, grey: f32, y: i32, isReference: bool): void {
  if (channels == 3 && rows == STRIP_ROWS) takeRows(true, from, STRIP_ROWS, 3, grey, y, isReference)
  else {
    fillFineTable()
    takeRows(false, from, rows, channels, grey, y, isReference)
  }
}
