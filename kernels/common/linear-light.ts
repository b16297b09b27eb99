/** From 8-bit sRGB samples to linear light, and the mean of 2 x 2: where both metrics begin. */
import { all } from './broadcast'

/** Linear light of each sample value, 256 floats. */
const byteToLinear: usize = memory.data(1024, 16)
/** Linear light in steps of 1/16 of a sample value, 4081 floats and one to spare: for what compositing leaves between values. */
const fineToLinear: usize = memory.data(4082 * 4, 16)
let byteIsFilled: bool = false
let fineIsFilled: bool = false

/** The linear light of sRGB's 0..1. */
export function toLinear(v: f64): f32 {
  return <f32>(v <= 0.04045 ? v / 12.92 : Math.pow((v + 0.055) / 1.055, 2.4))
}

export function fillByteTable(): void {
  if (byteIsFilled) return
  for (let i: u32 = 0; i < 256; i++) store<f32>(byteToLinear + (i << 2), toLinear(<f64>i / 255.0))
  byteIsFilled = true
}

/** Makes `linearBetween` ready. */
export function fillFineTable(): void {
  if (fineIsFilled) return
  for (let i: u32 = 0; i < 4082; i++) store<f32>(fineToLinear + (i << 2), toLinear(Math.min(1.0, <f64>i / 4080.0)))
  fineIsFilled = true
}

@inline
function linearOf(sample: usize): f32 {
  return load<f32>(byteToLinear + ((<usize>load<u8>(sample)) << 2))
}

/** Linear light of a value 0..255 that lies between samples. */
@inline
export function linearBetween(value: f32): f32 {
  const place = value * 16
  const step = <i32>place
  const at = fineToLinear + (<usize>step << 2)
  const low = load<f32>(at)
  return low + (load<f32>(at, 4) - low) * (place - <f32>step)
}

/** Four neighbouring linear values of one channel, `channels` samples apart. */
@inline
function linearFour(sample: usize, channels: usize): v128 {
  const first = v128.load32_zero(byteToLinear + ((<usize>load<u8>(sample)) << 2))
  const second = v128.load_lane<u32>(byteToLinear + ((<usize>load<u8>(sample + channels)) << 2), first, 1)
  const third = v128.load_lane<u32>(byteToLinear + ((<usize>load<u8>(sample + 2 * channels)) << 2), second, 2)
  return v128.load_lane<u32>(byteToLinear + ((<usize>load<u8>(sample + 3 * channels)) << 2), third, 3)
}

/** One row of opaque samples to three rows of linear light, `pitch` bytes apart. For RGB all distances are known beforehand: a third less instructions. */
function opaqueRow(from: usize, channels: usize, width: usize, to: usize, pitch: usize): void {
  if (channels == 3) spread(from, 3, 1, 2, width, to, pitch)
  else if (channels == 4) spread(from, 4, 1, 2, width, to, pitch)
  else spread(from, channels, 0, 0, width, to, pitch)
}

/** The same for pixels whose green and blue lie `green` and `blue` samples after red. */
@inline
function spread(from: usize, channels: usize, green: usize, blue: usize, width: usize, to: usize, pitch: usize): void {
  let x: usize = 0
  for (; x + 4 <= width; x += 4) {
    v128.store(to, linearFour(from, channels))
    v128.store(to + pitch, linearFour(from + green, channels))
    v128.store(to + 2 * pitch, linearFour(from + blue, channels))
    from += 4 * channels
    to += 16
  }
  for (; x < width; x++) {
    store<f32>(to, linearOf(from))
    store<f32>(to + pitch, linearOf(from + green))
    store<f32>(to + 2 * pitch, linearOf(from + blue))
    from += channels
    to += 4
  }
}

/** The same with alpha last, composited in sRGB (as the reference does, not in linear light) on a grey of 0..1. */
function compositeRow(from: usize, channels: usize, width: usize, to: usize, pitch: usize, grey: f32): void {
  fillFineTable()
  const green: usize = channels > 2 ? 1 : 0
  const blue: usize = green << 1
  const behind = linearBetween(grey * 255)
  for (let x: usize = 0; x < width; x++) {
    const alpha = load<u8>(from + channels - 1)
    if (alpha == 0) {
      store<f32>(to, behind)
      store<f32>(to + pitch, behind)
      store<f32>(to + 2 * pitch, behind)
    } else if (alpha == 255) {
      store<f32>(to, linearOf(from))
      store<f32>(to + pitch, linearOf(from + green))
      store<f32>(to + 2 * pitch, linearOf(from + blue))
    } else {
      const weight = <f32>alpha / 255
      const rest = (<f32>255 - <f32>alpha) * grey
      store<f32>(to, linearBetween(<f32>load<u8>(from) * weight + rest))
      store<f32>(to + pitch, linearBetween(<f32>load<u8>(from + green) * weight + rest))
      store<f32>(to + 2 * pitch, linearBetween(<f32>load<u8>(from + blue) * weight + rest))
    }
    from += channels
    to += 4
  }
}

/** One row of samples to three rows of linear light; `grey` below 0 says that alpha, if there is any (2 or 4 channels), is to be ignored. */
export function linearise(from: usize, channels: usize, width: usize, to: usize, pitch: usize, grey: f32): void {
  if (grey >= 0 && (channels & 1) == 0) compositeRow(from, channels, width, to, pitch, grey)
  else opaqueRow(from, channels, width, to, pitch)
}

const quarter = memory.data<f32>([0.25])

/** Two rows' worth of a 2x2 mean: neighbours of one linear row added up; the last of an odd width counts twice. */
export function addNeighbours(from: usize, width: usize, to: usize, first: bool): void {
  if (width & 1) store<f32>(from + (width << 2), load<f32>(from + ((width - 1) << 2)))
  const halved = (width + 1) >> 1
  for (let x: usize = 0; x < halved; x += 4) {
    const left = v128.load(from)
    const right = v128.load(from, 16)
    const even = v128.shuffle<f32>(left, right, 0, 2, 4, 6)
    const odd = v128.shuffle<f32>(left, right, 1, 3, 5, 7)
    const sum = f32x4.add(even, odd)
    if (first) v128.store(to, sum)
    else v128.store(to, f32x4.mul(f32x4.add(v128.load(to), sum), all(quarter)))
    from += 32
    to += 16
  }
}
