/** The graph of a network between its source and its model file: tensors by index, operations, outputs. */
import type { NetworkStep } from '../../src/attention/network/model.ts'

/** Shape of a tensor; `within` makes it a range of channels of a wider tensor. */
export interface TensorShape {
  readonly width: number
  readonly height: number
  readonly channels: number
  readonly within?: { readonly tensor: number; readonly offset: number }
}

/** An operation on tensors, given by index; `weights` and `bias` are offsets into the weights, rows > columns > inputs > outputs. */
export interface GraphStep extends Pick<NetworkStep, 'activation' | 'size' | 'stride' | 'input' | 'output' | 'added'> {
  readonly kind: 'convolve' | 'depthwise' | 'max-pool' | 'resize'
  readonly weights?: number
  readonly bias?: number
}

/** A network without a place in memory. Tensor 0 is the input. */
export interface Graph {
  readonly tensors: readonly TensorShape[]
  readonly steps: readonly GraphStep[]
  readonly outputs: Readonly<Record<string, number>>
}
