/** What is not a product of matrices: filters of one channel each, the largest of a window, bilinear resizing. */
import { Step, activate } from './layout'

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
  const activation = step.activation
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
    v128.store(to, activate(sum, activation))
    top += advance
    to += onward
  }
}

/** The largest of 3 x 3 samples; what lies outside the image does not count. */
export function poolMost(step: Step): void {
  const input = step.input
  const output = step.output
  for (let y = 0; y < output.height; y++) {
    for (let x = 0; x < output.width; x++) {
      const to = output.start + <usize>y * output.row + <usize>x * output.pixel
      const left = max(0, x * step.stride - 1), right = min(input.width - 1, x * step.stride + 1)
      const top = max(0, y * step.stride - 1), bottom = min(input.height - 1, y * step.stride + 1)
      for (let c: usize = 0; c < <usize>output.channels << 2; c += 16) {
        let most = v128.load(input.start + <usize>top * input.row + <usize>left * input.pixel + c)
        for (let row = top; row <= bottom; row++) {
          for (let column = left; column <= right; column++)
            most = f32x4.max(most, v128.load(input.start + <usize>row * input.row + <usize>column * input.pixel + c))
        }
        v128.store(to + c, most)
      }
    }
  }
}

/** Bilinear resizing about pixel centres, clamped at the edges, and what is added to it. */
export function resize(step: Step): void {
  const input = step.input
  const output = step.output
  const added = step.added
  const down = <f32>input.height / <f32>output.height
  const along = <f32>input.width / <f32>output.width
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
      for (let c: usize = 0; c < <usize>output.channels << 2; c += 16) {
        const above = mix(v128.load(rowA + a + c), v128.load(rowA + b + c), right)
        const below = mix(v128.load(rowB + a + c), v128.load(rowB + b + c), right)
        const sum = f32x4.add(mix(above, below, low), v128.load(plus + c))
        v128.store(to + c, activate(sum, step.activation))
      }
    }
  }
}

@inline
function mix(a: v128, b: v128, share: v128): v128 {
  return f32x4.add(a, f32x4.mul(f32x4.sub(b, a), share))
}
