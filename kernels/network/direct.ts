/**
 * Convolution as products of runs of samples: with channels last, a row of a filter's window lies together in memory, so
 * nothing is gathered first. For 1 x 1 filters and those that skip pixels; the others go through Winograd's transform.
 */
import { PANEL, Step, activate, slopeOf } from './layout'
import { multiply } from './multiply'

/** Most pixels in a row of the output. */
const MAX_WIDTH: usize = 1024
/** Bytes of scratch: sixteen sums for each pixel of a row, and one pixel more. */
export const DIRECT_SCRATCH: usize = (MAX_WIDTH + 2) * 64
/** Bytes of a panel's weights that stay in the L1 cache together with the samples. */
const MAX_WEIGHTS: usize = 40960

/** Bytes of all weights that stay in the L2 cache. */
const FEW_WEIGHTS: usize = 262144

/** Output of 1 x 1 or 3 x 3 filters, zero-padded. The weights: panels > rows of the filter > samples of a row > 16. */
export function convolve(step: Step, sums: usize): void {
  const output = step.output
  const panel = <usize>(step.size * runOf(step) * PANEL) << 2
  const end = <usize>output.channels << 2
  // Few weights serve row by row, which is read once then; of many each panel serves all rows.
  const rows = panel * <usize>(output.channels / PANEL) <= FEW_WEIGHTS ? 1 : output.height
  for (let y = 0; y < output.height; y += rows) {
    let weights = step.weights
    for (let first: usize = 0; first < end; first += PANEL << 2) {
      for (let k = y; k < y + rows; k++) convolveRow(step, weights, k, first, sums)
      weights += panel
    }
  }
}

/** Samples that lie together in a row of a filter's window. */
@inline
function runOf(step: Step): i32 {
  return step.size == 1 ? step.input.channels : 3 * <i32>(step.input.pixel >> 2)
}

/** Sixteen channels of a row of the output. */
function convolveRow(step: Step, weights: usize, y: i32, first: usize, sums: usize): void {
  const input = step.input
  const output = step.output
  const reach = <usize>(step.size >> 1)
  const run = runOf(step)
  const panelRow = <usize>(run * PANEL) << 2
  const advance = <usize>step.stride * input.pixel
  let samples = input.start + <usize>(y * step.stride) * input.row - reach * (input.row + input.pixel)
  startRow(step, sums, y, first)
  // Rows of the filter are summed at once; where the cache holds no more, each serves all pixels before the next.
  const rows = panelRow * <usize>step.size <= MAX_WEIGHTS ? step.size : 1
  for (let row = 0; row < step.size; row += rows) {
    multiply(sums, samples, advance, output.width, weights, run, rows, input.row)
    weights += <usize>rows * panelRow
    samples += <usize>rows * input.row
  }
  const to = output.start + <usize>y * output.row + first
  finishRow(sums, to, output.width, output.pixel, slopeOf(step))
}

/** Sums begin with the bias, and what is added. */
function startRow(step: Step, sums: usize, y: i32, first: usize): void {
  const width = step.output.width
  const bias = step.bias + first
  const b0 = v128.load(bias), b1 = v128.load(bias, 16), b2 = v128.load(bias, 32), b3 = v128.load(bias, 48)
  const end = sums + (<usize>width << 6)
  if (changetype<usize>(step.added) == 0) {
    for (; sums < end; sums += 64) {
      v128.store(sums, b1, 16), v128.store(sums, b0)
      v128.store(sums, b3, 48), v128.store(sums, b2, 32)
    }
    return
  }
  const added = step.added
  let from = added.start + <usize>y * added.row + first
  for (; sums < end; sums += 64) {
    const a0 = f32x4.add(b0, v128.load(from)), a1 = f32x4.add(b1, v128.load(from, 16))
    const a2 = f32x4.add(b2, v128.load(from, 32)), a3 = f32x4.add(b3, v128.load(from, 48))
    v128.store(sums, a1, 16), v128.store(sums, a0)
    v128.store(sums, a3, 48), v128.store(sums, a2, 32)
    from += added.pixel
  }
}

/** Stores sums through the activation. */
function finishRow(sums: usize, to: usize, width: i32, pixel: usize, slope: v128): void {
  for (let x = 0; x < width; x++) {
    const s0 = activate(v128.load(sums), slope), s1 = activate(v128.load(sums, 16), slope)
    const s2 = activate(v128.load(sums, 32), slope), s3 = activate(v128.load(sums, 48), slope)
    v128.store(to, s1, 16), v128.store(to, s0)
    v128.store(to, s3, 48), v128.store(to, s2, 32)
    sums += 64
    to += pixel
  }
}

/** Packs filters (rows > columns > inputs > outputs) for `convolve`, whose runs have as many samples a pixel as the input has channels. */
export function packDirect(step: Step, from: usize, inputs: i32, outputs: i32): void {
  const taps = step.size * step.size
  const pitch = step.input.channels
  let to = step.weights
  for (let first = 0; first < outputs; first += PANEL) {
    for (let tap = 0; tap < taps; tap++) {
      for (let input = 0; input < pitch; input++) {
        for (let k = 0; k < PANEL; k++) {
          const inside = input < inputs && first + k < outputs
          const at = ((tap * inputs + input) * outputs + first + k) << 2
          store<f32>(to, inside ? load<f32>(from + <usize>at) : 0)
          to += 4
        }
      }
    }
  }
}
