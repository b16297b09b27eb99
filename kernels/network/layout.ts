/**
 * Structures that the caller lays out in linear memory: tensors, and the steps that make one from others.
 * Samples are f32, channels last. Around each tensor lies a border of zeros, one pixel at the left and top and two at the
 * right and bottom, which convolutions read as padding and nothing ever writes.
 */

/** A tensor, or a run of channels of a wider one (so that concatenation copies nothing). Channels are a multiple of 16. */
@unmanaged
export class Tensor {
  /** Address of the first channel of the top left pixel. */
  start: usize
  /** Bytes from row to row and from pixel to pixel. */
  row: usize
  pixel: usize
  width: i32
  height: i32
  channels: i32
}

/** One operation: its input, its output, and what is added before the activation (0 for nothing). */
@unmanaged
export class Step {
  kind: i32
  /** 0 none, 1 rectified, 2 leaky (0.1). */
  activation: i32
  /** Sides of the filter, and pixels from window to window. */
  size: i32
  stride: i32
  weights: usize
  bias: usize
  input: Tensor
  output: Tensor
  added: Tensor
}

/** `Step.kind`. */
export const DIRECT: i32 = 0
export const WINOGRAD: i32 = 1
export const DEPTHWISE: i32 = 2
export const MAX_POOL: i32 = 3
export const RESIZE: i32 = 4

/** Output channels that are computed together; weights are packed in panels of as many. */
export const PANEL: i32 = 16

/** Factor of negative values, for each `Step.activation`. */
const slopes = memory.data<f32>([1, 0, 0.1])

@inline
export function slopeOf(step: Step): v128 {
  return v128.load32_splat(slopes + (<usize>step.activation << 2))
}

/** Applies the activation without branches, so that V8 can join two vectors. */
@inline
export function activate(v: v128, slope: v128): v128 {
  return f32x4.pmax(v, f32x4.mul(v, slope))
}
