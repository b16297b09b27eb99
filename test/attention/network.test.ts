import { describe, expect, it } from 'vitest'
import { layOutGraph } from '../../scripts/models/lay-out.ts'
import type { GraphStep, TensorShape } from '../../scripts/models/tensor-graph.ts'
import { loadNetworkKernel } from '../../src/attention/network/kernel.ts'
import { openNetwork } from '../../src/attention/network/network.ts'

const open = loadNetworkKernel()

/** Halves between -1 and 1 that look random and are always the same. */
const halves = (count: number): Float16Array =>
  Float16Array.from({ length: count }, (_, at) => Math.sin(at * 12.9898 + 4.1) * 0.9)

const INPUT: TensorShape = { width: 13, height: 9, channels: 3 }
const BYTES = Uint8Array.from({ length: 13 * 9 * 3 }, (_, at) => (at * 97) % 256)
const SAMPLES = Float32Array.from(BYTES, (byte) => byte / 255)

interface Case {
  readonly tensors: readonly TensorShape[]
  readonly steps: readonly GraphStep[]
  readonly weights: Float16Array
}

const run = ({ tensors, steps, weights }: Case): Float32Array => {
  const scale = [1 / 255, 1 / 255, 1 / 255] as const
  const common = { origin: 'test', scale, shift: [0, 0, 0] as const, order: 'rgb' as const }
  const graph = { tensors, steps, outputs: { out: tensors.length - 1 } }
  return openNetwork({ ...common, ...layOutGraph(graph), weights }, open()).run(BYTES)['out']!
}

const inside = (at: number, side: number): boolean => at >= 0 && at < side

/** A convolution as it is defined, zero-padded. */
const convolve = (from: Float32Array, shape: TensorShape, step: GraphStep, to: TensorShape, weights: Float16Array) => {
  const reach = step.size >> 1
  const bias = weights.subarray(step.bias)
  return Float32Array.from({ length: to.width * to.height * to.channels }, (_, index) => {
    const channel = index % to.channels
    const x = Math.floor(index / to.channels) % to.width
    const y = Math.floor(index / to.channels / to.width)
    let sum = bias[channel]!
    for (let row = 0; row < step.size; row++) {
      for (let column = 0; column < step.size; column++) {
        const [atX, atY] = [x * step.stride + column - reach, y * step.stride + row - reach]
        if (!inside(atX, shape.width) || !inside(atY, shape.height)) continue
        for (let c = 0; c < shape.channels; c++) {
          const weight = weights[((row * step.size + column) * shape.channels + c) * to.channels + channel]!
          sum += weight * from[(atY * shape.width + atX) * shape.channels + c]!
        }
      }
    }
    if (step.activation === 'relu') return Math.max(0, sum)
    return step.activation === 'leaky' ? Math.max(sum, sum * 0.1) : sum
  })
}

const expectNear = (got: Float32Array, wanted: Float32Array): void => {
  expect(got.length).toBe(wanted.length)
  const worst = got.reduce((most, value, at) => Math.max(most, Math.abs(value - wanted[at]!)), 0)
  expect(worst).toBeLessThan(1e-4)
}

/** Shapes of eight channels: that of the input, and half of it. */
const FULL: TensorShape = { width: 13, height: 9, channels: 8 }
const HALF: TensorShape = { width: 7, height: 5, channels: 8 }
/** Offsets of a pixel and its neighbours, row by row. */
const AROUND = [-1, 0, 1].flatMap((y) => [-1, 0, 1].map((x) => [x, y] as const))

type Valued = (x: number, y: number, channel: number) => number

const tensorOf = (shape: TensorShape, value: Valued): Float32Array =>
  Float32Array.from({ length: shape.width * shape.height * 8 }, (_, index) =>
    value(Math.floor(index / 8) % shape.width, Math.floor(index / 8 / shape.width), index % 8),
  )

/** The value at a pixel of a tensor of eight channels. undefined outside. */
const valueAt = (tensor: Float32Array, { width, height }: TensorShape, x: number, y: number, channel: number) =>
  inside(x, width) && inside(y, height) ? tensor[(y * width + x) * 8 + channel] : undefined

/** A zero-padded depthwise convolution of 3 x 3 px as it is defined. */
const depthwise = (from: Float32Array, step: GraphStep, weights: Float16Array): Float32Array =>
  tensorOf(FULL, (x, y, channel) =>
    AROUND.reduce(
      (sum, [dx, dy], tap) => {
        const weight = weights[step.weights! + tap * 8 + channel]!
        return sum + (valueAt(from, FULL, x + dx, y + dy, channel) ?? 0) * weight
      },
      weights[step.bias! + channel]!,
    ),
  )

/** Max-pooling of 3 x 3 px at every second pixel as it is defined. */
const maxPool = (from: Float32Array): Float32Array =>
  tensorOf(HALF, (x, y, channel) =>
    Math.max(...AROUND.map(([dx, dy]) => valueAt(from, FULL, 2 * x + dx, 2 * y + dy, channel) ?? -Infinity)),
  )

/** Bilinear enlargement from half the size, plus another tensor, as it is defined. */
const resizeAndAdd = (from: Float32Array, added: Float32Array): Float32Array =>
  tensorOf(FULL, (x, y, channel) => {
    const [u, v] = [Math.max(0, ((x + 0.5) * 7) / 13 - 0.5), Math.max(0, ((y + 0.5) * 5) / 9 - 0.5)]
    const [left, top] = [Math.floor(u), Math.floor(v)]
    const at = (column: number, row: number) => valueAt(from, HALF, Math.min(6, column), Math.min(4, row), channel)!
    const across = (row: number) => at(left, row) + (at(left + 1, row) - at(left, row)) * (u - left)
    return across(top) + (across(top + 1) - across(top)) * (v - top) + valueAt(added, FULL, x, y, channel)!
  })

describe('a network in WASM', () => {
  it.each([
    ['1 x 1', { size: 1, stride: 1, channels: 8, activation: 'none' }],
    ['1 x 1 with channels that fill no panel', { size: 1, stride: 1, channels: 12, activation: 'relu' }],
    ['3 x 3', { size: 3, stride: 1, channels: 16, activation: 'leaky' }],
    ['3 x 3 strided', { size: 3, stride: 2, channels: 8, activation: 'relu' }],
  ] as const)('computes %s convolution as defined', (_, { size, stride, channels, activation }) => {
    const output = { width: Math.ceil(13 / stride), height: Math.ceil(9 / stride), channels }
    const count = size * size * 3 * channels
    const weights = halves(count + channels)
    const from = { input: 0, output: 1, weights: 0, bias: count }
    const step = { kind: 'convolve', activation, size, stride, ...from } as const
    expectNear(
      run({ tensors: [INPUT, output], steps: [step], weights }),
      convolve(SAMPLES, INPUT, step, output, weights),
    )
  })

  it('concatenates by writing two tensors into a wider one', () => {
    const wide = { width: 13, height: 9, channels: 48 }
    const parts = [
      { ...wide, channels: 16, within: { tensor: 3, offset: 0 } },
      { ...wide, channels: 32, within: { tensor: 3, offset: 16 } },
    ]
    const weights = halves(2000)
    const steps = parts.map(({ channels }, at) => ({
      ...({ kind: 'convolve', activation: 'none', size: 3, stride: 1, input: 0, output: at + 1 } as const),
      ...{ weights: 0, bias: 27 * channels },
    }))
    const got = run({ tensors: [INPUT, ...parts, wide], steps, weights })
    const [first, second] = steps.map((step, at) => convolve(SAMPLES, INPUT, step, parts[at]!, weights))
    const wanted = Float32Array.from({ length: 13 * 9 * 48 }, (_, index) => {
      const [pixel, channel] = [Math.floor(index / 48), index % 48]
      return channel < 16 ? first![pixel * 16 + channel]! : second![pixel * 32 + channel - 16]!
    })
    expectNear(got, wanted)
  })

  describe('a chain of steps', () => {
    const weights = halves(400)
    const [none, three] = [{ activation: 'none', stride: 1 } as const, { size: 3 } as const]
    const convolution = { kind: 'convolve', ...none, size: 1, input: 0, output: 1, weights: 0, bias: 24 } as const
    const steps: readonly GraphStep[] = [
      convolution,
      { kind: 'depthwise', ...none, ...three, input: 1, output: 2, weights: 40, bias: 112 },
      { kind: 'max-pool', ...none, ...three, stride: 2, input: 2, output: 3 },
      { kind: 'resize', ...none, size: 0, input: 3, added: 1, output: 4 },
    ]
    const tensors = [INPUT, FULL, FULL, HALF, FULL]
    const first = convolve(SAMPLES, INPUT, convolution, FULL, weights)
    const second = depthwise(first, steps[1]!, weights)
    const third = maxPool(second)

    it.each([
      ['depthwise convolution', 2, second],
      ['max-pooling', 3, third],
      ['resizing with addition', 4, resizeAndAdd(third, first)],
    ])('computes %s as defined', (_, count, wanted) => {
      expectNear(run({ tensors: tensors.slice(0, count + 1), steps: steps.slice(0, count), weights }), wanted)
    })
  })
})
