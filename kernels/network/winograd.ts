/**
 * 3 x 3 convolution by Winograd's minimal filtering F(2x2, 3x3) (Lavin and Gray 2015): a tile of 2 x 2 outputs costs 16
 * products instead of 36. Tiles of 4 x 4 samples are transformed, multiplied plane by plane, and transformed back.
 */
import { storePair } from '../common/pairs'
import { PANEL, Step, Tensor, activate, slopeOf } from './layout'
import { multiply } from './multiply'

/** Tiles that are worked on together, so that what lies between the transforms stays in the second cache. */
const TILES: i32 = 64
/** Most channels in or out. */
const MAX_CHANNELS: i32 = 256
/** Bytes between planes, so that those of a place do not all fall into one set of the first cache. */
const APART: usize = 64
/** Bytes of scratch: 16 planes of tiles in, as many out. */
export const WINOGRAD_SCRATCH: usize = 2 * 16 * (64 * 256 * 4 + 64)

/** Output of 3 x 3 filters at stride 1, zero-padded. The weights: 16 planes > panels > inputs > 16. */
export function convolveWinograd(step: Step, scratch: usize): void {
  const output = step.output
  const across = (output.width + 1) >> 1
  const tiles = across * ((output.height + 1) >> 1)
  const products = scratch + WINOGRAD_SCRATCH / 2
  for (let first = 0; first < tiles; first += TILES) {
    const count = min(TILES, tiles - first)
    for (let k = 0; k < count; k++) {
      const tile = first + k
      transformIn(step.input, (tile % across) << 1, (tile / across) << 1, scratch + <usize>(k * step.input.channels) * 4)
    }
    multiplyPlanes(step, scratch, products, count)
    for (let k = 0; k < count; k++) {
      const tile = first + k
      transformOut(step, (tile % across) << 1, (tile / across) << 1, products + <usize>(k * PANEL) * 4)
    }
  }
}

/** Bytes from plane to plane. */
@inline
function planeOf(channels: i32): usize {
  return (<usize>(TILES * channels) << 2) + APART
}

/** Bᵀ d B of the tile whose outputs start at (x, y): all channels, eight at a time, each of the 16 results to its plane. */
function transformIn(input: Tensor, x: i32, y: i32, to: usize): void {
  const row = input.row
  const pixel = input.pixel
  const plane = planeOf(input.channels)
  let from = input.start + <usize>y * row + <usize>x * pixel - row - pixel
  const end = to + (<usize>input.channels << 2)
  for (; to < end; to += 32) {
    transformRow(from, from + 2 * row, pixel, to, plane, false)
    transformRow(from + row, from + 2 * row, pixel, to + 4 * plane, plane, true)
    transformRow(from + 2 * row, from + row, pixel, to + 8 * plane, plane, false)
    transformRow(from + row, from + 3 * row, pixel, to + 12 * plane, plane, false)
    from += 32
  }
}

/** One row of Bᵀ d (the sum or difference of two rows of d), times B. */
@inline
function transformRow(a: usize, b: usize, pixel: usize, at: usize, plane: usize, sum: bool): void {
  const s0 = combine(a, b, 0, sum), t0 = combine(a, b, 16, sum)
  const s1 = combine(a + pixel, b + pixel, 0, sum), t1 = combine(a + pixel, b + pixel, 16, sum)
  const s2 = combine(a + 2 * pixel, b + 2 * pixel, 0, sum), t2 = combine(a + 2 * pixel, b + 2 * pixel, 16, sum)
  const s3 = combine(a + 3 * pixel, b + 3 * pixel, 0, sum), t3 = combine(a + 3 * pixel, b + 3 * pixel, 16, sum)
  storePair(at, f32x4.sub(s0, s2), f32x4.sub(t0, t2))
  storePair(at + plane, f32x4.add(s1, s2), f32x4.add(t1, t2))
  storePair(at + 2 * plane, f32x4.sub(s2, s1), f32x4.sub(t2, t1))
  storePair(at + 3 * plane, f32x4.sub(s1, s3), f32x4.sub(t1, t3))
}

@inline
function combine(a: usize, b: usize, k: usize, sum: bool): v128 {
  return sum ? f32x4.add(v128.load(a + k), v128.load(b + k)) : f32x4.sub(v128.load(a + k), v128.load(b + k))
}

/** In each plane: tiles x inputs by inputs x outputs, to panels > tiles > 16. */
function multiplyPlanes(step: Step, samples: usize, products: usize, count: i32): void {
  const inputs = step.input.channels
  const outputs = step.output.channels
  let weights = step.weights
  for (let plane = 0; plane < 16; plane++) {
    let to = products + <usize>plane * planeOf(outputs)
    for (let first = 0; first < outputs; first += PANEL) {
      memory.fill(to, 0, <usize>count << 6)
      multiply(to, samples, <usize>inputs << 2, count, weights, inputs, 1, 0)
      weights += <usize>(inputs * PANEL) << 2
      to += <usize>(TILES * PANEL) << 2
    }
    samples += planeOf(inputs)
  }
}

/** Aᵀ m A, bias and activation: the 2 x 2 outputs at (x, y), as far as they lie inside. */
function transformOut(step: Step, x: i32, y: i32, from: usize): void {
  const output = step.output
  const plane = planeOf(output.channels)
  const right = x + 1 < output.width ? output.pixel : 0
  const below = y + 1 < output.height ? output.row : 0
  const slope = slopeOf(step)
  let to = output.start + <usize>y * output.row + <usize>x * output.pixel
  let bias = step.bias
  for (let c = 0; c < output.channels; c += PANEL) {
    for (let k: usize = 0; k < 64; k += 32) {
      // Writes outside first: the writes inside overwrite them.
      putRow(from + k, plane, true, to + k + below, right, bias + k, slope)
      putRow(from + k, plane, false, to + k, right, bias + k, slope)
    }
    from += <usize>(TILES * PANEL) << 2
    to += PANEL << 2
    bias += PANEL << 2
  }
}

/** Eight channels of the upper or lower two outputs of a tile, the second `right` bytes after the first. */
@inline
function putRow(
  from: usize,
  plane: usize,
  lower: bool,
  to: usize,
  right: usize,
  bias: usize,
  slope: v128,
): void {
  const a0 = column(from, plane, lower, 0), b0 = column(from, plane, lower, 16)
  const a1 = column(from + plane, plane, lower, 0), b1 = column(from + plane, plane, lower, 16)
  const a2 = column(from + 2 * plane, plane, lower, 0), b2 = column(from + 2 * plane, plane, lower, 16)
  const a3 = column(from + 3 * plane, plane, lower, 0), b3 = column(from + 3 * plane, plane, lower, 16)
  const biasA = v128.load(bias), biasB = v128.load(bias, 16)
  const leftA = f32x4.add(biasA, f32x4.add(a0, f32x4.add(a1, a2)))
  const leftB = f32x4.add(biasB, f32x4.add(b0, f32x4.add(b1, b2)))
  const rightA = f32x4.add(biasA, f32x4.sub(f32x4.sub(a1, a2), a3))
  const rightB = f32x4.add(biasB, f32x4.sub(f32x4.sub(b1, b2), b3))
  storePair(to + right, activate(rightA, slope), activate(rightB, slope))
  storePair(to, activate(leftA, slope), activate(leftB, slope))
}

/** A column of Aᵀ m: of its four products the sum of the upper three, or what the lower output takes. */
@inline
function column(at: usize, plane: usize, lower: bool, k: usize): v128 {
  const middle = v128.load(at + 4 * plane + k)
  const next = v128.load(at + 8 * plane + k)
  return lower
    ? f32x4.sub(f32x4.sub(middle, next), v128.load(at + 12 * plane + k))
    : f32x4.add(v128.load(at + k), f32x4.add(middle, next))
}

/** Packs filters (rows > columns > inputs > outputs) for `convolveWinograd`: G g Gᵀ of each. */
export function packWinograd(step: Step, from: usize, inputs: i32, outputs: i32): void {
  const channels = step.input.channels
  const plane = <usize>(step.output.channels * channels) << 2
  for (let output = 0; output < step.output.channels; output++) {
    for (let input = 0; input < channels; input++) {
      const at = step.weights + (<usize>(((output / PANEL) * channels + input) * PANEL + (output % PANEL)) << 2)
      const inside = input < inputs && output < outputs
      packFilter(from + (<usize>(input * outputs + output) << 2), <usize>(inputs * outputs) << 2, at, plane, inside)
    }
  }
}

/** A row of the 3 x 3 filter, or the combination of rows that G asks for. */
@inline
function tap(from: usize, step: usize, row: i32, column: usize): f32 {
  const g0 = load<f32>(from + column * step)
  const g1 = load<f32>(from + (column + 3) * step)
  const g2 = load<f32>(from + (column + 6) * step)
  if (row == 0) return g0
  if (row == 3) return g2
  return row == 1 ? (g0 + g1 + g2) * 0.5 : (g0 - g1 + g2) * 0.5
}

@inline
function packFilter(from: usize, step: usize, at: usize, plane: usize, inside: bool): void {
  for (let row = 0; row < 4; row++) {
    const a: f32 = inside ? tap(from, step, row, 0) : 0
    const b: f32 = inside ? tap(from, step, row, 1) : 0
    const c: f32 = inside ? tap(from, step, row, 2) : 0
    const to = at + <usize>(4 * row) * plane
    store<f32>(to, a)
    store<f32>(to + plane, (a + b + c) * 0.5)
    store<f32>(to + 2 * plane, (a - b + c) * 0.5)
    store<f32>(to + 3 * plane, c)
  }
}
