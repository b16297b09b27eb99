/**
 * The light of tiles: of those of 16 px as seen in linear light, which their colour is, of those of 4 px that may be plain between sRGB's and linear light.
 * One look-up tells both of a sample, as whole numbers in the upper and the lower bits of 64, so that one addition does for both.
 */
import { fillFineTable, linearBetween, toLinear } from '../common/linear-light'
import {
  STRIP_ROWS, TILE_BYTES, colourAcross, colourDown, colourSide, colours, plainAcross, plainDown, plainShown, plainSide, plainWas, width,
} from './layout'

/** Bits of brightness, below those of linear light; and what is 1 of either. Boxes of 12 x 4 px (a plain tile's share of four rows at a density of 3) fit in. */
const BRIGHT_BITS: u64 = 28
const BRIGHT_MASK: u64 = ((<u64>1) << BRIGHT_BITS) - 1
const BRIGHT_ONE: f64 = 16384
const LINEAR_ONE: f64 = 1073741824
/** Sums of red, green and blue of a plain tile, in 1/16384 of a sample value. */
const PLAIN_BYTES: usize = 12

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
  return (<u64>Math.round(<f64>linear * LINEAR_ONE) << BRIGHT_BITS) | bright
}

@inline
function lightOf(sample: usize): u64 {
  return load<u64>(lights + (<usize>load<u8>(sample) << 3))
}

/** The same of what is less than opaque: composited in sRGB on a grey of 0..1 (below 0: as if opaque), and only as bright as it shows. */
function lightBehind(sample: usize, alpha: u32, grey: f32): u64 {
  const light = lightOf(sample)
  if (alpha == 255) return light
  const bright = ((light & BRIGHT_MASK) * alpha) / 255
  if (grey < 0) return (light & ~BRIGHT_MASK) | bright
  const value = <f32>load<u8>(sample) * (<f32>alpha / 255) + (<f32>255 - <f32>alpha) * grey
  return packed(linearBetween(value), bright)
}

/** One channel of four pixels of RGB. */
@inline
function lightOfFour(at: usize): u64 {
  return lightOf(at) + lightOf(at + 3) + (lightOf(at + 6) + lightOf(at + 9))
}

/** One channel of 4 x 4 pixels, whose rows lie `stride` bytes apart. */
@inline
function lightOfSixteen(at: usize, stride: usize): u64 {
  const upper = lightOfFour(at) + lightOfFour(at + stride)
  return upper + (lightOfFour(at + 2 * stride) + lightOfFour(at + 3 * stride))
}

/** Adds up a box of four rows of RGB, a multiple of four columns. */
@inline
function sumColour(from: usize, stride: usize, columns: usize): void {
  let red: u64 = 0
  let green: u64 = 0
  let blue: u64 = 0
  for (let at = from; at < from + columns * 3; at += 12) {
    red += lightOfSixteen(at, stride)
    green += lightOfSixteen(at + 1, stride)
    blue += lightOfSixteen(at + 2, stride)
  }
  keepBox(red, green, blue)
}

/** Adds up any box. */
function sumAny(from: usize, stride: usize, columns: usize, rows: i32, channels: usize, grey: f32): void {
  const next: usize = channels > 2 ? 1 : 0
  let red: u64 = 0
  let green: u64 = 0
  let blue: u64 = 0
  for (; rows > 0; rows--, from += stride) {
    for (let at = from; at < from + columns * channels; at += channels) {
      const alpha: u32 = channels & 1 ? 255 : load<u8>(at + channels - 1)
      red += lightBehind(at, alpha, grey)
      green += lightBehind(at + next, alpha, grey)
      blue += lightBehind(at + 2 * next, alpha, grey)
    }
  }
  keepBox(red, green, blue)
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
  let bright = (isReference ? plainWas : plainShown) + <usize>(plainRow * plainAcross) * PLAIN_BYTES
  let to = colours + <usize>(min(colourDown - 1, y / colourSide) * colourAcross) * TILE_BYTES
  for (let tile = 0; tile < colourAcross; tile++, to += TILE_BYTES) {
    const until = tile == colourAcross - 1 ? width : (tile + 1) * colourSide
    let red: u64 = 0
    let green: u64 = 0
    let blue: u64 = 0
    for (let x = tile * colourSide; x < until; x += plainSide) {
      const columns = min(plainSide, until - x)
      const at = from + <usize>(x * channels)
      if (isColour && columns == plainSide) sumColour(at, stride, columns)
      else sumAny(at, stride, columns, rows, channels, grey)
      red += linearSum(0)
      green += linearSum(8)
      blue += linearSum(16)
      if (columns < plainSide || plainRow >= plainDown) continue
      addBright(bright, isFirst)
      bright += PLAIN_BYTES
    }
    addTo(to, red)
    addTo(to + 8, green)
    addTo(to + 16, blue)
  }
}

/** Takes up to four rows of samples, the first of which is row y of an image, a multiple of four; `grey` below 0 says that there is nothing behind them. */
export function takeLight(from: usize, rows: i32, channels: i32, grey: f32, y: i32, isReference: bool): void {
  if (channels == 3 && rows == STRIP_ROWS) takeRows(true, from, STRIP_ROWS, 3, grey, y, isReference)
  else {
    fillFineTable()
    takeRows(false, from, rows, channels, grey, y, isReference)
  }
}
