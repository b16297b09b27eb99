import { describe, expect, it } from 'vitest'
import { butteraugliLevel, butteraugliMargin, scoreKeeping } from './butteraugli-bound.ts'

describe('the bound on Butteraugli', () => {
  it.each([55, 70, 85])('asks for the score at which the norm is the limit, from one trial at %d', (score) => {
    // An image whose norm is 0.06 for each point that the score lacks.
    const level = butteraugliLevel(score, 0.06 * (100 - score))
    expect(scoreKeeping(1.5, level)).toBeCloseTo(75)
  })

  it('has a margin of 0 exactly at the limit, in points of score', () => {
    expect(butteraugliMargin(75, 1.5, 1.5)).toBe(0)
    expect(butteraugliMargin(75, 1.5001, 1.5)).toBeLessThan(0)
    expect(butteraugliMargin(80, 1.2, 1.5)).toBeCloseTo(80 - scoreKeeping(1.5, butteraugliLevel(80, 1.2)))
  })

  it('has a positive margin where nothing differs', () => {
    expect(butteraugliMargin(100, 0, 1.5)).toBeGreaterThan(0)
  })
})
