import { describe, expect, it } from 'vitest'
import { brokenBounds, countedContour, countedDistance, countedScore } from './promise.ts'
import { boundsFor, withMargins } from './targets.ts'

const medium = boundsFor('medium', 1)
const good = { ssimulacra: 70, butteraugli3: 1.5, tileColour: 4, contour: 2.5 }

describe('a promise', () => {
  it('figures equal to their bounds break none', () => {
    expect([...brokenBounds(good, medium)]).toEqual([])
  })

  it.each([
    [{ ...good, ssimulacra: 69.9 }, ['ssimulacra']],
    [{ ...good, butteraugli3: 1.51 }, ['butteraugli3']],
    [{ ...good, tileColour: 4.1 }, ['tileColour']],
    [{ ...good, contour: 2.6 }, ['contour']],
    [
      { ssimulacra: 10, butteraugli3: 9, tileColour: 30, contour: 9 },
      ['tileColour', 'contour', 'ssimulacra', 'butteraugli3'],
    ],
    [{ ...good, ssimulacra: Number.NaN }, ['ssimulacra']],
    [{ ...good, butteraugli3: Number.NaN }, ['butteraugli3']],
  ])('%j breaks %j', (scores, names) => {
    expect([...brokenBounds(scores, medium)]).toEqual(names)
  })

  it('a caller that stops at a broken cheap figure computes no expensive one', () => {
    const scores = {
      tileColour: 5,
      contour: 1,
      get ssimulacra(): number {
        throw new Error('measured without need')
      },
      get butteraugli3(): number {
        throw new Error('measured without need')
      },
    }
    expect(brokenBounds(scores, medium).next().value).toBe('tileColour')
  })
})

describe('false contours', () => {
  const atBound = { contour: 2.5, bleeding: 0 }

  it('count in full in JPEG and PNG, and less in WebP and AVIF, which filter the edges of their blocks', () => {
    expect(countedContour(atBound, 'jpeg')).toBe(2.5)
    expect(countedContour(atBound, 'png')).toBe(2.5)
    const [webp, avif] = [countedContour(atBound, 'webp'), countedContour(atBound, 'avif')]
    expect(webp).toBeLessThan(2.5)
    expect(avif).toBeLessThan(webp)
  })

  it('count in full where they are colour that bled', () => {
    expect(countedContour({ contour: 2.5, bleeding: 2.5 }, 'avif')).toBe(2.5)
    expect(countedContour({ contour: 2.5, bleeding: 2.2 }, 'avif')).toBe(2.2)
  })
})

describe('bounds', () => {
  it.each([
    ['low', 1, 55, 2.4, 8],
    ['medium', 1, 70, 1.5, 4],
    ['high', 1, 85, 0.75, 2],
    ['low', 2, 47, 3.24, 8],
    ['medium', 2, 62, 2.025, 4],
    ['high', 2, 77, 1.0125, 2],
    ['low', 3, 45, 3.6, 8],
    ['medium', 3, 58, 2.25, 4],
    ['high', 3, 73, 1.125, 2],
  ] as const)('the bounds of %s at %ix', (preset, density, ssimulacra, butteraugli3, tileColour) => {
    const bounds = boundsFor(preset, density)
    expect(bounds.ssimulacra).toBe(ssimulacra)
    expect(bounds.butteraugli3).toBeCloseTo(butteraugli3, 9)
    expect(bounds.tileColour).toBe(tileColour)
  })

  it('the bounds of a search are slightly narrower', () => {
    expect(withMargins(medium)).toEqual({ ssimulacra: 70.25, butteraugli3: 1.5 * 0.995, tileColour: 4, contour: 2.5 })
  })
})

describe('the worst part', () => {
  it.each([
    [70, 69, 70],
    [70, 60, 70],
    [88, 55, 65],
  ])('score %d with a region at %d counts as %d', (whole, worst, counted) => {
    expect(countedScore(whole, worst)).toBe(counted)
  })

  it.each([
    [1.5, 1.6, 1.5],
    [1.5, 2, 1.5],
    [0.9, 2.4, 1.8],
  ])('distance %d with a square at %d counts as %d', (whole, worst, counted) => {
    expect(countedDistance(whole, worst)).toBeCloseTo(counted)
  })
})
