/** Luma (Rec. 601 weights, gamma-encoded) in 1/16 of a sample value, 0 .. 4080: of each px, and the mean of those that are seen as one. */
import { density, height, seenWidth, sums, wholeRow, width } from './layout'

/** Weights of red, green and blue in 1/4096, so that a shift by 8 leaves 1/16. */
const RED: i32 = 1225
const GREEN: i32 = 2404
const BLUE: i32 = 467
const redGreen = memory.data<i16>([1225, 2404], 4)
const blueOnly = memory.data<i16>([467, 0], 4)
const one = memory.data<i16>([1])
/** Where red and green of four pixels of RGB lie, each to become 16 bits; and blue, to become 32. Places beyond the vector give zeros. */
const redGreenPlaces = memory.data<u8>([0, 99, 1, 99, 3, 99, 4, 99, 6, 99, 7, 99, 9, 99, 10, 99], 16)
const bluePlaces = memory.data<u8>([2, 99, 99, 99, 5, 99, 99, 99, 8, 99, 99, 99, 11, 99, 99, 99], 16)

/** Luma of four pixels of RGB, as 32 bits each. */
@inline
function lumaOfFour(from: usize, redGreens: v128, blues: v128, weights: v128, weight: v128): v128 {
  const samples = v128.load(from)
  const most = i32x4.dot_i16x8_s(i8x16.swizzle(samples, redGreens), weights)
  return i32x4.shr_u(i32x4.add(most, i32x4.dot_i16x8_s(i8x16.swizzle(samples, blues), weight)), 8)
}

/** A row of RGB, eight pixels a round. Reads up to 25 bytes beyond it, writes up to 14. */
function colourRow(from: usize, to: usize): void {
  const redGreens = v128.load(redGreenPlaces)
  const blues = v128.load(bluePlaces)
  const weights = v128.load_splat<i32>(redGreen)
  const weight = v128.load_splat<i32>(blueOnly)
  for (let x = 0; x < width; x += 8, from += 24, to += 16) {
    const left = lumaOfFour(from, redGreens, blues, weights, weight)
    v128.store(to, i16x8.narrow_i32x4_s(left, lumaOfFour(from + 12, redGreens, blues, weights, weight)))
  }
}

/** A row of samples, alpha ignored. */
function opaqueRow(from: usize, channels: usize, to: usize): void {
  if (channels == 3) {
    colourRow(from, to)
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

/** Sums of neighbouring pairs: of eight px four. */
@inline
function pairsAt(from: usize): v128 {
  return i32x4.dot_i16x8_s(v128.load(from), v128.load_splat<i16>(one))
}

/** At a density of 2 the sums of an even row's pairs; an odd row completes four px each, whose means go to `to`. Writes up to 14 bytes beyond it. */
function takePairs(isFirst: bool, to: usize): void {
  for (let x = 0; x < seenWidth; x += 8, to += 16) {
    const from = wholeRow + (<usize>x << 2)
    const sum = sums + (<usize>x << 2)
    if (isFirst) {
      v128.store(sum, pairsAt(from))
      v128.store(sum, pairsAt(from + 16), 16)
      continue
    }
    const left = i32x4.shr_u(i32x4.add(v128.load(sum), pairsAt(from)), 2)
    const right = i32x4.shr_u(i32x4.add(v128.load(sum, 16), pairsAt(from + 16)), 2)
    v128.store(to, i16x8.narrow_i32x4_s(left, right))
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
  if (density == 2 && width > 1 && height > 1) {
    takePairs((y & 1) == 0, to)
    return (y & 1) == 1
  }
  const high = min(density, height)
  addSeen(y % high == 0)
  if (y % high != high - 1) return false
  const pixels = min(density, width) * high
  for (let x = 0; x < seenWidth; x++) {
    store<i16>(to + (<usize>x << 1), <i16>(load<i32>(sums + (<usize>x << 2)) / pixels))
  }
  return true
}
