/**
 * Inference of small convolutional networks. The caller lays tensors and steps out in memory (layout.ts), packs the
 * filters of each step once, fills the input and runs the steps. Plain f32 products and sums in a fixed order: the same bytes give
 * the same result on every machine.
 */
import { DIRECT_SCRATCH, convolve, packDirect } from './direct'
import { DEPTHWISE, DIRECT, MAX_POOL, RESIZE, Step, Tensor, WINOGRAD } from './layout'
import { convolveDepthwise, packDepthwise, poolMost, resize } from './others'
import { WINOGRAD_SCRATCH, convolveWinograd, packWinograd } from './winograd'

/** Bytes that `run` needs in addition to the tensors. */
export function scratchBytes(): usize {
  return max(DIRECT_SCRATCH, WINOGRAD_SCRATCH)
}

/** Where the caller's layout may begin: after the kernel's own constants. */
export function freeAddress(): usize {
  return (__heap_base + 63) & ~(<usize>63)
}

/**
 * Fills the first three channels of a tensor with RGB bytes: sample = byte x scale + shift, whose six numbers lie at
 * `scaling`, scales first. `first` is the channel that red becomes, 0 or 2: some networks learnt from BGR.
 */
export function fill(input: Tensor, bytes: usize, scaling: usize, first: usize): void {
  const r = first << 2
  const b = (<usize>2 - first) << 2
  for (let y = 0; y < input.height; y++) {
    let to = input.start + <usize>y * input.row
    for (let x = 0; x < input.width; x++) {
      store<f32>(to + r, <f32>load<u8>(bytes) * load<f32>(scaling) + load<f32>(scaling, 12))
      store<f32>(to + 4, <f32>load<u8>(bytes + 1) * load<f32>(scaling, 4) + load<f32>(scaling, 16))
      store<f32>(to + b, <f32>load<u8>(bytes + 2) * load<f32>(scaling, 8) + load<f32>(scaling, 20))
      bytes += 3
      to += input.pixel
    }
  }
}

/** Packs the filters of a step, f32 at `from` (rows > columns > inputs > outputs), to its weights, padded with zeros to its tensors' channels. */
export function pack(step: Step, from: usize, inputs: i32, outputs: i32): void {
  if (step.kind == WINOGRAD) packWinograd(step, from, inputs, outputs)
  else if (step.kind == DIRECT) packDirect(step, from, inputs, outputs)
  else packDepthwise(step, from, outputs)
}

/** Runs `count` steps whose addresses lie at `steps`. */
export function run(steps: usize, count: i32, scratch: usize): void {
  for (let k = 0; k < count; k++) {
    const step = changetype<Step>(load<usize>(steps + (<usize>k << 2)))
    if (step.kind == WINOGRAD) convolveWinograd(step, scratch)
    else if (step.kind == DIRECT) convolve(step, scratch)
    else if (step.kind == DEPTHWISE) convolveDepthwise(step)
    else if (step.kind == MAX_POOL) poolMost(step)
    else if (step.kind == RESIZE) resize(step)
  }
}
