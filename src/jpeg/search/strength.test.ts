import { describe, expect, it } from 'vitest'
import type { Curve } from '../../search/curve.ts'
import { MAX_STRENGTH, parametersAt } from './strength.ts'

/** The usual photograph's score by quality. */
const curve: Curve = [
  [35, 60.7],
  [70, 75.1],
  [94, 90.5],
]
const tried = [{ quality: 60, score: 70 }]

describe('the parameters of a strength', () => {
  it('are its own tables at the usual lambda before any trial', () => {
    expect(parametersAt(60, [], curve)).toEqual({ quality: 60, lambdaScale: 1.2 })
  })

  it('are the tried tables and another lambda near them', () => {
    const [below, above] = [59, 61].map((strength) => parametersAt(strength, tried, curve))
    expect(below).toMatchObject({ quality: 60 })
    expect(above).toMatchObject({ quality: 60 })
    expect(below!.lambdaScale).toBeLessThan(1.2)
    expect(above!.lambdaScale).toBeGreaterThan(1.2)
    expect(parametersAt(60, tried, curve).lambdaScale).toBeCloseTo(1.2)
  })

  it('are new tables farther away, and where no lambda gives the score', () => {
    expect(parametersAt(66, tried, curve)).toEqual({ quality: 66, lambdaScale: 1.2 })
    expect(parametersAt(61, [{ quality: 60, score: 99 }], curve)).toEqual({ quality: 61, lambdaScale: 1.2 })
  })

  it('are the nearest of several tried tables', () => {
    expect(parametersAt(62.5, [...tried, { quality: 63, score: 71 }], curve)).toMatchObject({ quality: 63 })
  })

  it('are the finest tables and a rising lambda at the end of the axis', () => {
    expect(parametersAt(MAX_STRENGTH, [], curve).quality).toBe(99.5)
    expect(parametersAt(MAX_STRENGTH, [], curve).lambdaScale).toBeGreaterThan(4)
  })
})
