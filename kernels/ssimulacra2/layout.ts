/**
 * Where everything lies in linear memory. Work rows come first and are zeroed, the planes of the reference after them.
 * A scale is 1:1, 1:2 ... 1:32; a band is one channel (X, Y, B) at one scale; a side is the reference or the candidate.
 */

export const scaleCount: i32 = 6
/** Rows that two neighbouring rows' vertical filters reach. */
export const ringRows: i32 = 10
/** Rows that may be fed at once; a multiple of 32, so that both sides stand at the same row on every scale. */
export const chunkRows: i32 = 32
/** Columns of the full-size image whose sums are kept apart; at 1:2 half as many, and so on. */
export const regionShift: i32 = 8
/** Zeroed floats around a row, so that the horizontal filter needs no case for the edges. */
export const margin: usize = 4
/** The mask of full size without bands that hardly change the score. */
export const LUMA_ALONE: i32 = 2
/** Maps pooled: ssim, ringing, blurring, and the 4th powers of each. */
export const poolBytes: usize = 48
/** Bytes of eight columns' sums. */
export const laneBytes: usize = 32

@unmanaged
export class Band {
  /** Planes of the reference: the channel itself, its blurred mean, and 2 x its blurred variance + C2. */
  image: usize
  mean: usize
  spread: usize
  /** The latest ten rows of what is to be blurred: reference v, v²; candidate difference d, d², v·d. */
  referenceRing: usize
  candidateRing: usize
}

@unmanaged
export class Scale {
  width: i32
  height: i32
  /** Bit 0 X, bit 1 Y, bit 2 B: which bands are computed. */
  mask: i32
  /** Rows that a plane holds; row y lies at y % capacity. */
  capacity: i32
  /** Bytes from plane row to plane row: a multiple of 32, so that loops may take eight columns a round. */
  stride: usize
  /** Bytes from ring row to ring row, margins included; the maps of a ring lie one after the other, ten rows each. */
  pitch: usize
  /** Three rows of linear light, `linearPitch` bytes apart: one set for each side. */
  linear: usize
  linearPitch: usize
  /** Rows fed so far, of the reference and of the candidate. */
  referenceRows: i32
  candidateRows: i32
  bandX: Band
  bandY: Band
  bandB: Band
}

const scaleTable: usize = memory.data(6 * 64, 16)
const bandTable: usize = memory.data(18 * 32, 16)

export let scalesUsed: i32 = 0
export let regionsAcross: i32 = 1
export let regionsDown: i32 = 1
export let staging: usize = 0
export let sums: usize = 0
/** Room for the sums of each map in one strip, eight columns apart. Not at a constant address: V8 13.6 joins stores to such in the wrong order. */
export let laneSums: usize = 0
export let zeroRow: usize = 0
let end: usize = 0

@inline
export function scaleAt(index: i32): Scale {
  return changetype<Scale>(scaleTable + <usize>index * 64)
}

@inline
export function bandAt(scale: i32, channel: i32): Band {
  return changetype<Band>(bandTable + <usize>(scale * 3 + channel) * 32)
}

/** Where the sums of a region begin for one scale: three channels of six doubles. */
@inline
export function sumsAt(region: i32, scale: i32, channel: i32): usize {
  return sums + <usize>((region * scaleCount + scale) * 3 + channel) * poolBytes
}

function take(bytes: usize): usize {
  const at = end
  end += (bytes + 15) & ~15
  return at
}

function measure(index: i32, width: i32, height: i32, mask: i32, kept: bool): void {
  const scale = scaleAt(index)
  scale.width = width
  scale.height = height
  scale.mask = mask
  scale.capacity = kept ? height : min(height, chunkRows + ringRows)
  scale.stride = <usize>((width + 7) & ~7) << 2
  scale.pitch = scale.stride + 8 * margin
  scale.linearPitch = scale.stride + 48
}

function placeRows(index: i32): void {
  const scale = scaleAt(index)
  scale.linear = take(6 * scale.linearPitch)
  for (let channel = 0; channel < 3; channel++) {
    if (!(scale.mask & (1 << channel))) continue
    const band = bandAt(index, channel)
    band.referenceRing = take(2 * ringRows * scale.pitch)
    band.candidateRing = take(3 * ringRows * scale.pitch)
  }
}

function placePlanes(index: i32): void {
  const scale = scaleAt(index)
  const bytes = <usize>scale.capacity * scale.stride
  for (let channel = 0; channel < 3; channel++) {
    if (!(scale.mask & (1 << channel))) continue
    const band = bandAt(index, channel)
    band.image = take(bytes)
    band.mean = take(bytes)
    band.spread = take(bytes)
  }
}

/** Six scales of three mask bits each, largest lowest; what lies below the last scale with a bit is not even halved. */
function measureAll(width: i32, height: i32, masks: i32, kept: bool): void {
  scalesUsed = 0
  for (let index = 0; index < scaleCount && masks >> (3 * index) != 0; index++) {
    measure(index, width, height, (masks >> (3 * index)) & 7, kept)
    width = (width + 1) >> 1
    height = (height + 1) >> 1
    scalesUsed = index + 1
  }
}

function grow(): bool {
  const pages = <i32>((<u64>end + 0xffff) >> 16) - memory.size()
  return pages <= 0 || memory.grow(pages) >= 0
}

/** Bytes of the planes, in 64 bits because they can exceed an address. */
function planeBytes(): u64 {
  let total: u64 = 0
  for (let index = 0; index < scalesUsed; index++) {
    const scale = scaleAt(index)
    total += <u64>scale.capacity * <u64>scale.stride * 3 * <u64>popcnt(scale.mask)
  }
  return total
}

/** Lays out the memory for an image. Returns false when it exceeds 4 GiB or the machine has no more. */
export function arrange(width: i32, height: i32, masks: i32, kept: bool): bool {
  measureAll(width, height, masks, kept)
  regionsAcross = max(1, width >> regionShift)
  regionsDown = max(1, height >> regionShift)
  end = (__heap_base + 15) & ~15
  const start = end
  zeroRow = take(scaleAt(0).pitch)
  sums = take(<usize>(regionsAcross * regionsDown * scaleCount * 3) * poolBytes)
  laneSums = take(6 * laneBytes)
  for (let index = 0; index < scalesUsed; index++) placeRows(index)
  staging = take(<usize>width * 4 * chunkRows)
  const zeroed = end - start
  if (<u64>end + planeBytes() > 0xfff00000) return false
  for (let index = 0; index < scalesUsed; index++) placePlanes(index)
  if (!grow()) return false
  memory.fill(start, 0, zeroed)
  return true
}

export function clearSums(): void {
  memory.fill(sums, 0, <usize>(regionsAcross * regionsDown * scaleCount * 3) * poolBytes)
}
