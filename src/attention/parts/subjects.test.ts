import { describe, expect, it } from 'vitest'
import { box, CAT, EMPTY, PERSON } from '../../../test/attention/scenes.ts'
import type { Scene } from '../scene.ts'
import { corroborateFaces, shareOut, subjectsOf } from './subjects.ts'

describe('shareOut', () => {
  it('gives the total if one region is certain, and less if none is', () => {
    const total = (...scores: number[]): number =>
      shareOut(
        scores.map((score) => ({ region: box(0, 0, 1, 1, score), weight: 2 })),
        10,
        [0.4, 0.8],
      ).reduce((sum, { weight }) => sum + weight, 0)
    expect([total(0.9, 0.5), total(0.5), total(0.3)].map((sum) => Number(sum.toFixed(6)))).toEqual([10, 2.5, 0])
  })
})

describe('corroborateFaces', () => {
  const face = box(0.15, 0.25, 0.1, 0.15, 0.5)
  const scoreBeside = (x: number, score: number, category = PERSON): number =>
    corroborateFaces({ ...EMPTY, faces: [face], objects: [{ ...box(x, 0.2, 0.2, 0.6, score), category }] })[0]!.score

  it('raises the score of a face in the box of a person', () => {
    expect(scoreBeside(0.1, 0.9)).toBeCloseTo(0.75)
    expect(scoreBeside(0.1, 0.3)).toBeCloseTo(0.625)
  })

  it('keeps the score of a face without a person', () => {
    expect([scoreBeside(0.6, 0.9), scoreBeside(0.1, 0.9, CAT)]).toEqual([0.5, 0.5])
  })
})

describe('subjectsOf', () => {
  const weightOf = (kind: 'face' | 'object', scene: Partial<Scene>): number =>
    subjectsOf({ ...EMPTY, ...scene }).find((subject) => subject.kind === kind)!.weight
  const face = box(0.15, 0.25, 0.1, 0.15)
  const person = { ...box(0.1, 0.2, 0.2, 0.6), category: PERSON }
  const cat = { ...box(0.6, 0.2, 0.2, 0.6), category: CAT }

  it('gives a face less weight next to an animal', () => {
    expect(weightOf('face', { faces: [face], objects: [cat] })).toBeCloseTo(0.4 * weightOf('face', { faces: [face] }))
  })

  it('gives a person with a face less weight', () => {
    const objects = [person, cat]
    expect(weightOf('object', { objects, faces: [face] })).toBeLessThan(0.2 * weightOf('object', { objects }))
  })
})
