import { describe, expect, it } from 'vitest'
import { clusterContexts } from './cluster.ts'

const clustersOf = (rows: readonly (readonly number[])[]) =>
  clusterContexts({ size: rows[0]!.length, contexts: rows.length, counts: Uint32Array.from(rows.flat()) })

describe('clusters of contexts', () => {
  it('share a distribution where numbers are distributed alike', () => {
    const { contextMap, counts } = clustersOf([
      [900, 100, 0],
      [0, 100, 900],
      [450, 50, 0],
      [0, 11, 89],
    ])
    expect([...contextMap]).toEqual([0, 1, 0, 1])
    expect(counts.map((sums) => [...sums])).toEqual([
      [1350, 150, 0],
      [0, 111, 989],
    ])
  })

  it('do not keep a distribution that costs more than it saves', () => {
    expect([
      ...clustersOf([
        [900, 100],
        [1, 2],
      ]).contextMap,
    ]).toEqual([0, 0])
  })

  it('give a context without numbers that of the one before it', () => {
    expect([
      ...clustersOf([
        [0, 900],
        [0, 0],
        [900, 0],
      ]).contextMap,
    ]).toEqual([0, 0, 1])
  })

  it('are one where there are no numbers at all', () => {
    expect(
      clustersOf([
        [0, 0],
        [0, 0],
      ]),
    ).toMatchObject({ contextMap: new Uint8Array(2), counts: [new Uint32Array(2)] })
  })
})
