/** Luma (Rec. 601 weights, gamma-encoded) in 1/16 of a sample value, 0 .. 4080: of each px, and the mean of those that are seen as one. */
import { density, height, seenWidth, sums, wholeRow, width } from './layout'

/** Weights of red, green and blue in 1/4096, so that a shift by 8 leaves 1/16. */
const RED: i32 = 1225
const GREEN: i32 = 2404
const BLUE: i32 = 467
const redGreen = memory.data<i16>([1225, 2404], 4)
const blueOnly = memory.data<i16>([467, 0], 4)

/** Eight pixels of RGB. */
@inline
function eight(from: usize, to: usize): void {
  const a = v128.load(from)
  const b = v128.load(from, 8)
  const pairs = i8x16.shuffle(a, b, 0, 1, 3, 4, 6, 7, 9, 10, 12, 13, 15, 24, 26, 27, 29, 30)
  const blues = i16x8.extend_low_i8x16_u(i8x16.shuffle(a, b, 2, 5, 8, 11, 14, 25, 28, 31, 2, 2, 2, 2, 2, 2, 2, 2))
  const weights = v128.load_splat<i32>(redGreen)
  const weight = v128.load_splat<i16>(blueOnly)
  const low = i32x4.add(
    i32x4.dot_i16x8_s(i16x8.extend_low_i8x16_u(pairs), weights), i32x4.extmul_low_i16x8_s(blues, weight),
  )
  const high = i32x4.add(
    i32x4.dot_i16x8_s(i16x8.extend_high_i8x16_u(pairs), weights), i32x4.extmul_high_i16x8_s(blues, weight),
  )
  v128.store(to, i16x8.narrow_i32x4_s(i32x4.shr_u(low, 8), i32x4.shr_u(high, 8)))
}

/** A row of samples, alpha ignored. Writes up to 14 bytes beyond it. */
function opaqueRow(from: usize, channels: usize, to: usize): void {
  if (channels == 3) {
    for (let x = 0; x < width; x += 8) eight(from + <usize>x * 3, to + (<usize>x << 1))
    return
  }
  const green: usize = channels > 2 ? 1 : 0
  const blue: usize = green << 1
  for (let x = 0; x < width; x++, from += channels, to += 2) {
    const luma = <i32>load<u8>(from) * RED + <i32>load<u8>(from + green) * GREEN + <i32>load<u8>(from + blue) * BLUE
    store<i16>(to, <i16>(luma >> 8))
  }
}

/** The same composited on a grey of 0..1, alpha last. */
function compositeRow(from: usize, channels: usize, grey: f32, to: usize): void {
  opaqueRow(from, channels, to)
  const behind = <i32>(grey * 4080)
  for (let x = 0; x < width; x++, from += channels, to += 2) {
    const alpha = <i32>load<u8>(from + channels - 1)
    store<i16>(to, <i16>((<i32>load<i16>(to) * alpha + behind * (255 - alpha)) / 255))
  }
}

/** Adds a row to the sums of the px that it is seen in. */
function addSeen(first: bool): void {
  const each = min(density, width)
  let from = wholeRow
  for (let x = 0; x < seenWidth; x++) {
    let sum: i32 = 0
    for (let i = 0; i < each; i++, from += 2) sum += <i32>load<i16>(from)
    const to = sums + (<usize>x << 2)
    store<i32>(to, first ? sum : load<i32>(to) + sum)
  }
}

/**
 * Takes row y of samples, `grey` below 0 says that alpha is to be ignored. At the last of the rows that are seen as one writes these to `to` and says so.
 */
export function lumaRow(from: usize, channels: usize, grey: f32, y: i32, to: usize): bool {
  const row = density == 1 ? to : wholeRow
  if (grey >= 0 && (channels & 1) == 0) compositeRow(from, channels, grey, row)
  else opaqueRow(from, channels, row)
  if (density == 1) return true
  const high = min(density, height)
  addSeen(y % high == 0)
  if (y % high != high - 1) return false
  const pixels = min(density, width) * high
  for (let x = 0; x < seenWidth; x++) {
    store<i16>(to + (<usize>x << 1), <i16>(load<i32>(sums + (<usize>x << 2)) / pixels))
  }
  return true
}
