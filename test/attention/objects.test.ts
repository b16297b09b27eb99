import { describe, expect, it } from 'vitest'
import { decodeObjects } from '../../src/attention/objects.ts'

const PERSON = 0
const CAT = 15
const SHEEP = 18
const SIDE = 4
/** Logits of an anchor: 80 classes, then the distances to four sides over eleven steps each. */
const VALUES = 80 + 4 * 11

/** A grid whose anchors at the places given are each sure of one class; every box reaches over most of the image. */
const gridOf = (anchors: readonly { readonly at: number; readonly category: number; readonly logit: number }[]) => {
  const grid = new Float32Array(SIDE * SIDE * VALUES).fill(0)
  for (let at = 0; at < SIDE * SIDE; at++) grid.fill(-9, at * VALUES, at * VALUES + 80)
  for (const { at, category, logit } of anchors) grid[at * VALUES + category] = logit
  return grid
}

describe('objects of a grid', () => {
  it('are one where boxes of an animal overlap that looks like two kinds, the surer one', () => {
    const both = [
      { at: 5, category: CAT, logit: 0.5 },
      { at: 6, category: SHEEP, logit: 0.2 },
    ]
    const objects = decodeObjects([gridOf(both)])
    expect(objects).toMatchObject([{ category: CAT }])
    expect(objects[0]!.score).toBeCloseTo(1 / (1 + Math.exp(-0.5)))
  })

  it('are two where a person overlaps with an animal', () => {
    const both = [
      { at: 5, category: CAT, logit: 0.5 },
      { at: 6, category: PERSON, logit: 0.2 },
    ]
    expect(decodeObjects([gridOf(both)]).map(({ category }) => category)).toEqual([CAT, PERSON])
  })
})
