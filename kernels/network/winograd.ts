/**
 * 3 x 3 convolution by Winograd's minimal filtering F(2x2, 3x3) (Lavin and Gray 2015): a tile of 2 x 2 outputs costs 16
 * products instead of 36. Tiles of 4 x 4 samples are transformed, multiplied plane by plane, and transformed back.
 */
import { PANEL, Step, Tensor, activate } from './layout'
import { multiply4 } from './multiply'

/** Tiles that are worked on together, so that what lies between the transforms stays in the second cache. */
export const TILES: i32 = 64
/** Most channels in or out. */
export const MOST_CHANNELS: i32 = 256
/** Bytes of scratch: 16 planes of tiles in, as many out. */
export const SCRATCH: usize = 2 * 16 * 64 * 256 * 4

const block: usize = memory.data(128, 16)

/** Output of 3 x 3 filters at stride 1, zero-padded. The weights: 16 planes > panels > inputs > 8. */
export function convolveWinograd(step: Step, scratch: usize): void {
  const output = step.output
  const across = (output.width + 1) >> 1
  const tiles = across * ((output.height + 1) >> 1)
  const products = scratch + SCRATCH / 2
  for (let first = 0; first < tiles; first += TILES) {
    const count = min(TILES, tiles - first)
    for (let k = 0; k < count; k++) {
      const tile = first + k
      transformIn(step.input, (tile % across) << 1, (tile / across) << 1, scratch + <usize>(k * step.input.channels) * 4)
    }
    multiplyPlanes(step, scratch, products, count)
    for (let k = 0; k < count; k++) {
      const tile = first + k
      transformOut(step, (tile % across) << 1, (tile / across) << 1, products + <usize>(k * output.channels) * 4)
    }
  }
}

/** Bytes from plane to plane. */
@inline
function planeOf(channels: i32): usize {
  return <usize>(TILES * channels) << 2
}

/** Bᵀ d B of the tile whose outputs start at (x, y): all channels, four at a time, each of the 16 results to its plane. */
function transformIn(input: Tensor, x: i32, y: i32, to: usize): void {
  const row = input.row
  const pixel = input.pixel
  const plane = planeOf(input.channels)
  const corner = input.start + <usize>y * row + <usize>x * pixel - row - pixel
  for (let c: usize = 0; c < <usize>input.channels << 2; c += 16) {
    const from = corner + c
    let at = to + c
    transformRow(from, from + 2 * row, pixel, at, plane, false)
    at += 4 * plane
    transformRow(from + row, from + 2 * row, pixel, at, plane, true)
    at += 4 * plane
    transformRow(from + 2 * row, from + row, pixel, at, plane, false)
    at += 4 * plane
    transformRow(from + row, from + 3 * row, pixel, at, plane, false)
  }
}

/** One row of Bᵀ d (the sum or difference of two rows of d), times B. */
@inline
function transformRow(a: usize, b: usize, pixel: usize, at: usize, plane: usize, sum: bool): void {
  const p0 = v128.load(a), p1 = v128.load(a + pixel), p2 = v128.load(a + 2 * pixel), p3 = v128.load(a + 3 * pixel)
  const q0 = v128.load(b), q1 = v128.load(b + pixel), q2 = v128.load(b + 2 * pixel), q3 = v128.load(b + 3 * pixel)
  const t0 = sum ? f32x4.add(p0, q0) : f32x4.sub(p0, q0)
  const t1 = sum ? f32x4.add(p1, q1) : f32x4.sub(p1, q1)
  const t2 = sum ? f32x4.add(p2, q2) : f32x4.sub(p2, q2)
  const t3 = sum ? f32x4.add(p3, q3) : f32x4.sub(p3, q3)
  v128.store(at, f32x4.sub(t0, t2))
  v128.store(at + plane, f32x4.add(t1, t2))
  v128.store(at + 2 * plane, f32x4.sub(t2, t1))
  v128.store(at + 3 * plane, f32x4.sub(t1, t3))
}

/** In each plane: tiles x inputs by inputs x outputs. Rows of tiles beyond `count` hold what they held; nobody reads them. */
function multiplyPlanes(step: Step, samples: usize, products: usize, count: i32): void {
  const inputs = step.input.channels
  const outputs = step.output.channels
  const inBytes = <usize>inputs << 2
  const outBytes = <usize>outputs << 2
  let weights = step.weights
  for (let plane = 0; plane < 16; plane++) {
    const from = samples + <usize>plane * planeOf(inputs)
    const to = products + <usize>plane * planeOf(outputs)
    for (let first: usize = 0; first < outBytes; first += PANEL << 2) {
      for (let k = 0; k < count; k += 4) {
        memory.fill(block, 0, 128)
        multiply4(block, from + <usize>k * inBytes, inBytes, weights, <usize>inputs)
        const at = to + <usize>k * outBytes + first
        for (let i: usize = 0; i < 4; i++) {
          v128.store(at + i * outBytes, v128.load(block + (i << 5)))
          v128.store(at + i * outBytes, v128.load(block + (i << 5), 16), 16)
        }
      }
      weights += inBytes * PANEL
    }
  }
}

/** Aᵀ m A, bias and activation: the 2 x 2 outputs at (x, y), as far as they lie inside. */
function transformOut(step: Step, x: i32, y: i32, from: usize): void {
  const output = step.output
  const plane = planeOf(output.channels)
  const to = output.start + <usize>y * output.row + <usize>x * output.pixel
  const wide = x + 1 < output.width
  const high = y + 1 < output.height
  for (let c: usize = 0; c < <usize>output.channels << 2; c += 16) {
    const bias = v128.load(step.bias + c)
    const at = from + c
    const left0 = sumDown(at, plane), left1 = differDown(at, plane)
    const a0 = sumDown(at + plane, plane), a1 = differDown(at + plane, plane)
    const b0 = sumDown(at + 2 * plane, plane), b1 = differDown(at + 2 * plane, plane)
    const right0 = sumDown(at + 3 * plane, plane), right1 = differDown(at + 3 * plane, plane)
    put(step, to + c, f32x4.add(bias, f32x4.add(left0, f32x4.add(a0, b0))))
    if (wide) put(step, to + c + output.pixel, f32x4.add(bias, f32x4.sub(f32x4.sub(a0, b0), right0)))
    if (high) put(step, to + c + output.row, f32x4.add(bias, f32x4.add(left1, f32x4.add(a1, b1))))
    if (wide && high) put(step, to + c + output.row + output.pixel, f32x4.add(bias, f32x4.sub(f32x4.sub(a1, b1), right1)))
  }
}

@inline
function sumDown(at: usize, plane: usize): v128 {
  return f32x4.add(v128.load(at), f32x4.add(v128.load(at + 4 * plane), v128.load(at + 8 * plane)))
}

@inline
function differDown(at: usize, plane: usize): v128 {
  return f32x4.sub(f32x4.sub(v128.load(at + 4 * plane), v128.load(at + 8 * plane)), v128.load(at + 12 * plane))
}

@inline
function put(step: Step, to: usize, v: v128): void {
  v128.store(to, activate(v, step.activation))
}

/** Packs filters (rows > columns > inputs > outputs) for `convolveWinograd`: G g Gᵀ of each. */
export function packWinograd(from: usize, to: usize, inputs: i32, outputs: i32, channels: i32): void {
  const panels = (outputs + PANEL - 1) / PANEL
  const plane = <usize>(panels * channels * PANEL) << 2
  for (let output = 0; output < panels * PANEL; output++) {
    for (let input = 0; input < channels; input++) {
      const at = to + (<usize>(((output / PANEL) * channels + input) * PANEL + (output % PANEL)) << 2)
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
