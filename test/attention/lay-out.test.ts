import { describe, expect, it } from 'vitest'
import { layOutGraph } from '../../scripts/models/lay-out.ts'
import { ownersOf } from '../../scripts/models/memory-owners.ts'
import type { GraphStep, TensorShape } from '../../scripts/models/tensor-graph.ts'

const SHAPE: TensorShape = { width: 4, height: 4, channels: 8 }

const step = (input: number, output: number, added?: number): GraphStep => ({
  ...({ kind: 'convolve', activation: 'none', size: 1, stride: 1, input, output } as const),
  ...(added === undefined ? {} : { added }),
})

/** Owners of tensors. `shapes` replaces the usual shape by index; `steps` say which tensor each is made from. */
const ownersIn = (steps: readonly GraphStep[], shapes: Readonly<Record<number, TensorShape>> = {}): number[] => {
  const tensors = Array.from({ length: steps.length + 1 }, (_, index) => shapes[index] ?? SHAPE)
  return ownersOf({ tensors, steps, outputs: { out: steps.length } })
}

describe('ownersOf', () => {
  it('reuses memory that no later step reads, but never for the output of its last reader', () =>
    expect(ownersIn([step(0, 1), step(1, 2), step(2, 3), step(3, 4), step(4, 5)])).toEqual([0, 1, 2, 1, 2, 5]))

  it('keeps memory that a later step adds', () =>
    expect(ownersIn([step(0, 1), step(1, 2), step(2, 3, 1), step(3, 4), step(4, 5)])).toEqual([0, 1, 2, 3, 1, 5]))

  it('does not reuse memory for another shape, whose zeros are elsewhere', () =>
    expect(
      ownersIn([step(0, 1), step(1, 2), step(2, 3), step(3, 4)], { 3: { ...SHAPE, width: 8, height: 2 } }),
    ).toEqual([0, 1, 2, 3, 4]))

  it('keeps the memory of a part of a wider tensor', () =>
    expect(
      ownersIn([step(0, 1), step(1, 2), step(2, 3), step(3, 4)], { 3: { ...SHAPE, within: { tensor: 1, offset: 0 } } }),
    ).toEqual([0, 1, 2, 3, 4]))
})

describe('layOutGraph', () => {
  const partsOf = (channels: number, offset: number) => () =>
    layOutGraph({
      tensors: [
        { ...SHAPE, channels, within: { tensor: 1, offset } },
        { ...SHAPE, channels: 48 },
      ],
      steps: [],
      outputs: {},
    })

  it('places a part of a wider tensor at its channel', () =>
    expect(partsOf(32, 16)()).toMatchObject({
      // Rows of 7 pixels with 48 samples of 4 bytes; one row and one pixel before the first.
      tensors: [
        [8 * 192 + 64, 7 * 192, 192, 4, 4, 32],
        [8 * 192, 7 * 192, 192, 4, 4, 48],
      ],
      bytes: 8 * 7 * 192,
    }))

  it.each([
    [8, 0, 'channels 0 to 8 of tensor 1 are not made of whole panels of 16'],
    [16, 8, 'channels 8 to 24 of tensor 1 are not made of whole panels of 16'],
  ])('refuses a part of %i channels from %i on', (channels, offset, message) =>
    expect(partsOf(channels, offset)).toThrow(message))
})
