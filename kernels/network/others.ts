/** Steps that are no products of matrices: depthwise filters, max pooling, bilinear resizing. */
import { Step, activate, slopeOf } from './layout'

/** 3 x 3 filters that each see one channel, zero-padded. The weights: 9 taps > channels. */
export function convolveDepthwise(step: Step): void {
  const input = step.input
  const output = step.output
  const bytes = <usize>output.channels << 2
  const advance = <usize>step.stride * input.pixel
  for (let y = 0; y < output.height; y++) {
    const top = input.start + <usize>(y * step.stride) * input.row - input.row - input.pixel
    const to = output.start + <usize>y * output.row
    for (let c: usize = 0; c < bytes; c += 16) convolveRow(step, top + c, to + c, c, bytes, advance)
  }
}

/** Four channels of a row, from the input's pixel at the top left on: their nine taps are loaded once. */
@inline
function convolveRow(step: Step, top: usize, to: usize, c: usize, bytes: usize, advance: usize): void {
  const row = step.input.row
  const pixel = step.input.pixel
  const taps = step.weights + c
  const tap0 = v128.load(taps), tap1 = v128.load(taps + bytes), tap2 = v128.load(taps + 2 * bytes)
  const tap3 = v128.load(taps + 3 * bytes), tap4 = v128.load(taps + 4 * bytes), tap5 = v128.load(taps + 5 * bytes)
  const tap6 = v128.load(taps + 6 * bytes), tap7 = v128.load(taps + 7 * bytes), tap8 = v128.load(taps + 8 * bytes)
  const bias = v128.load(step.bias + c)
  const width = step.output.width
  const onward = step.output.pixel
  const slope = slopeOf(step)
  for (let x = 0; x < width; x++) {
    const middle = top + row
    const bottom = middle + row
    let sum = f32x4.add(bias, f32x4.mul(v128.load(top), tap0))
    sum = f32x4.add(sum, f32x4.mul(v128.load(top + pixel), tap1))
    sum = f32x4.add(sum, f32x4.mul(v128.load(top + 2 * pixel), tap2))
    sum = f32x4.add(sum, f32x4.mul(v128.load(middle), tap3))
    sum = f32x4.add(sum, f32x4.mul(v128.load(middle + pixel), tap4))
    sum = f32x4.add(sum, f32x4.mul(v128.load(middle + 2 * pixel), tap5))
    sum = f32x4.add(sum, f32x4.mul(v128.load(bottom), tap6))
    sum = f32x4.add(sum, f32x4.mul(v128.load(bottom + pixel), tap7))
    sum = f32x4.add(sum, f32x4.mul(v128.load(bottom + 2 * pixel), tap8))
    v128.store(to, activate(sum, slope))
    top += advance
    to += onward
  }
}

/** Packs filters (taps > channels) for `convolveDepthwise`, whose taps have as many samples as the output has channels. */
export function packDepthwise(step: Step, from: usize, channels: i32): void {
  const taps = step.size * step.size
  for (let tap = 0; tap < taps; tap++) {
    const to = step.weights + (<usize>(tap * step.output.channels) << 2)
    memory.copy(to, from + (<usize>(tap * channels) << 2), <usize>channels << 2)
  }
}

/** The largest of 3 x 3 samples; what lies outside the image does not count: those at the edge are taken twice. */
export function poolMost(step: Step): void {
  const input = step.input
  const output = step.output
  for (let y = 0; y < output.height; y++) {
    const middle = y * step.stride
    const rowA = input.start + <usize>max(0, middle - 1) * input.row
    const rowB = input.start + <usize>middle * input.row
    const rowC = input.start + <usize>min(input.height - 1, middle + 1) * input.row
    let to = output.start + <usize>y * output.row
    for (let x = 0; x < output.width; x++) {
      const left = <usize>max(0, x * step.stride - 1) * input.pixel
      const here = <usize>(x * step.stride) * input.pixel
      const right = <usize>min(input.width - 1, x * step.stride + 1) * input.pixel
      for (let c: usize = 0; c < <usize>output.channels << 2; c += 32) {
        const low = mostOf(rowA + c, rowB + c, rowC + c, left, here, right, 0)
        const high = mostOf(rowA + c, rowB + c, rowC + c, left, here, right, 16)
        v128.store(to + c, high, 16), v128.store(to + c, low)
      }
      to += output.pixel
    }
  }
}

/** The largest of four channels, `k` bytes on, in three rows and three columns. */
@inline
function mostOf(a: usize, b: usize, c: usize, left: usize, here: usize, right: usize, k: usize): v128 {
  const above = f32x4.pmax(v128.load(a + left + k), f32x4.pmax(v128.load(a + here + k), v128.load(a + right + k)))
  const beside = f32x4.pmax(v128.load(b + left + k), f32x4.pmax(v128.load(b + here + k), v128.load(b + right + k)))
  const below = f32x4.pmax(v128.load(c + left + k), f32x4.pmax(v128.load(c + here + k), v128.load(c + right + k)))
  return f32x4.pmax(above, f32x4.pmax(beside, below))
}

/** Bilinear resizing about pixel centres, clamped at the edges, and what is added to it. */
export function resize(step: Step): void {
  const input = step.input
  const output = step.output
  const added = step.added
  const down = <f32>input.height / <f32>output.height
  const along = <f32>input.width / <f32>output.width
  const slope = slopeOf(step)
  for (let y = 0; y < output.height; y++) {
    const v = max<f32>(0, (<f32>y + 0.5) * down - 0.5)
    const top = min(<i32>v, input.height - 1)
    const rowA = input.start + <usize>top * input.row
    const rowB = input.start + <usize>min(top + 1, input.height - 1) * input.row
    const low = f32x4.splat(v - <f32>top)
    for (let x = 0; x < output.width; x++) {
      const u = max<f32>(0, (<f32>x + 0.5) * along - 0.5)
      const left = min(<i32>u, input.width - 1)
      const a = <usize>left * input.pixel
      const b = <usize>min(left + 1, input.width - 1) * input.pixel
      const right = f32x4.splat(u - <f32>left)
      const to = output.start + <usize>y * output.row + <usize>x * output.pixel
      const plus = added.start + <usize>y * added.row + <usize>x * added.pixel
      for (let c: usize = 0; c < <usize>output.channels << 2; c += 32) {
        const first = f32x4.add(mixRows(rowA + c, rowB + c, a, b, right, low, 0), v128.load(plus + c))
        const second = f32x4.add(mixRows(rowA + c, rowB + c, a, b, right, low, 16), v128.load(plus + c, 16))
        v128.store(to + c, activate(second, slope), 16), v128.store(to + c, activate(first, slope))
      }
    }
  }
}

/** Four channels, `k` bytes on, between two columns of two rows. */
@inline
function mixRows(rowA: usize, rowB: usize, a: usize, b: usize, right: v128, low: v128, k: usize): v128 {
  const above = mix(v128.load(rowA + a + k), v128.load(rowA + b + k), right)
  const below = mix(v128.load(rowB + a + k), v128.load(rowB + b + k), right)
  return mix(above, below, low)
}

@inline
function mix(a: v128, b: v128, share: v128): v128 {
  return f32x4.add(a, f32x4.mul(f32x4.sub(b, a), share))
}
