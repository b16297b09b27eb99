/**
 * Convolution as products of runs of samples: with channels last, a row of a filter's window lies together in memory, so
 * nothing is gathered first. For 1 x 1 filters and those that skip pixels; the others go through Winograd's transform.
 */
import { PANEL, Step, activate } from './layout'
import { multiply4 } from './multiply'

/** A block of four pixels by eight channels in the making. */
const block: usize = memory.data(128, 16)

/** Output of 1 x 1 or 3 x 3 filters, zero-padded. The weights: panels > rows of the filter > samples of a row > 8. */
export function convolve(step: Step): void {
  const input = step.input
  const reach = <usize>(step.size >> 1)
  const run = step.size == 1 ? <usize>input.channels : 3 * (input.pixel >> 2)
  const advance = <usize>step.stride * input.pixel
  const panelBytes = (<usize>step.size * run * PANEL) << 2
  const output = step.output
  const rest = output.width % 4
  for (let first = 0; first < output.channels; first += PANEL) {
    const weights = step.weights + <usize>(first / PANEL) * panelBytes
    for (let y = 0; y < output.height; y++) {
      let samples = input.start + <usize>(y * step.stride) * input.row - reach * (input.row + input.pixel)
      for (let x = 0; x < output.width - rest; x += 4) {
        convolveBlock(step, samples, advance, weights, run)
        for (let k = 0; k < 4; k++) finish(step, k, x + k, y, first)
        samples += 4 * advance
      }
      // The pixels left over are computed as one pixel four times: a few rows of products wasted, no second kernel.
      for (let x = output.width - rest; x < output.width; x++) {
        convolveBlock(step, samples, 0, weights, run)
        finish(step, 0, x, y, first)
        samples += advance
      }
    }
  }
}

@inline
function convolveBlock(step: Step, samples: usize, advance: usize, weights: usize, run: usize): void {
  memory.fill(block, 0, 128)
  for (let row = 0; row < step.size; row++) {
    multiply4(block, samples + <usize>row * step.input.row, advance, weights, run)
    weights += (run * PANEL) << 2
  }
}

/** Bias, what is added, activation: eight channels of a pixel. */
@inline
function finish(step: Step, k: usize, x: i32, y: i32, first: i32): void {
  const offset = <usize>first << 2
  const output = step.output
  const to = output.start + <usize>y * output.row + <usize>x * output.pixel + offset
  let low = f32x4.add(v128.load(block + (k << 5)), v128.load(step.bias + offset))
  let high = f32x4.add(v128.load(block + (k << 5), 16), v128.load(step.bias + offset, 16))
  if (changetype<usize>(step.added) != 0) {
    const added = step.added
    const from = added.start + <usize>y * added.row + <usize>x * added.pixel + offset
    low = f32x4.add(low, v128.load(from))
    high = f32x4.add(high, v128.load(from, 16))
  }
  v128.store(to, activate(low, step.activation))
  v128.store(to, activate(high, step.activation), 16)
}

/** Packs filters (rows > columns > inputs > outputs) for `convolve`, whose runs have `pitch` samples a pixel. */
export function packDirect(from: usize, to: usize, size: i32, inputs: i32, outputs: i32, pitch: i32): void {
  const taps = size * size
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
