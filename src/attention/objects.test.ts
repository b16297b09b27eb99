import { describe, expect, it } from 'vitest'
import { decodeObjects, type FoundObject } from './objects.ts'

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

const NOTHING = gridOf([])

type Anchors = Parameters<typeof gridOf>[0]

/** The objects of one grid and of its mirror image. By default both show the same. */
const objectsOf = (anchors: Anchors, again: Anchors = mirrored(anchors)): FoundObject[] =>
  decodeObjects({ objects16: gridOf(anchors), objects32: NOTHING }, { objects16: gridOf(again), objects32: NOTHING })

const mirrored = (anchors: Anchors): Anchors =>
  anchors.map((anchor) => ({ ...anchor, at: anchor.at - (anchor.at % SIDE) + SIDE - 1 - (anchor.at % SIDE) }))

const sigmoid = (logit: number): number => 1 / (1 + Math.exp(-logit))

describe('decodeObjects', () => {
  it('fuses overlapping boxes of two kinds of animals into the more certain one', () => {
    const both = [
      { at: 5, category: CAT, logit: 0.5 },
      { at: 6, category: SHEEP, logit: 0.2 },
    ]
    const objects = objectsOf(both)
    expect(objects).toMatchObject([{ category: CAT }])
    expect(objects[0]!.score).toBeCloseTo(sigmoid(0.5))
  })

  it('keeps a person and an overlapping animal apart', () => {
    const both = [
      { at: 5, category: CAT, logit: 0.5 },
      { at: 6, category: PERSON, logit: 0.2 },
    ]
    expect(objectsOf(both).map(({ category }) => category)).toEqual([CAT, PERSON])
  })
  it('gives the mean score of both looks, with 0.1 for a look that lacks the object', () => {
    const cat = [{ at: 5, category: CAT, logit: 0.5 }]
    expect(objectsOf(cat, mirrored([{ at: 5, category: CAT, logit: -1 }]))[0]!.score).toBeCloseTo(
      (sigmoid(0.5) + sigmoid(-1)) / 2,
    )
    expect(objectsOf(cat, [])[0]!.score).toBeCloseTo((sigmoid(0.5) + 0.1) / 2)
  })

  it('mirrors the objects when the two looks swap', () => {
    const [one, other] = [[{ at: 4, category: CAT, logit: 0.5 }], [{ at: 6, category: CAT, logit: 0.2 }]]
    const [cat] = objectsOf(one, other)
    const [seenInMirror] = objectsOf(other, one)
    expect(seenInMirror!.x).toBeCloseTo(1 - cat!.x - cat!.width)
    expect([seenInMirror!.y, seenInMirror!.score]).toEqual([expect.closeTo(cat!.y), expect.closeTo(cat!.score)])
  })
})
