import { describe, expect, it } from 'vitest'
import { sourceScore } from './source-score.ts'
import { boundsOf, butteraugliBound, effectiveScore, marginFor, requiredAgainstLossy, targetScore } from './targets.ts'

describe('a preset is a score (§3.1)', () => {
  it.each([
    ['low', 1, 55],
    ['medium', 1, 70],
    ['high', 1, 85],
    ['low', 2, 47],
    ['medium', 2, 62],
    ['high', 2, 77],
    ['low', 3, 45],
    ['medium', 3, 58],
    ['high', 3, 73],
  ] as const)('%s at %ix asks for %i', (preset, density, score) => {
    expect(targetScore(preset, density)).toBe(score)
  })
})

describe('a score must exceed its target by a margin', () => {
  it.each([
    [55, 0.25],
    [74.9, 0.25],
    [75, 0.4],
    [81, 0.4],
    [85, 0.9],
    [88, 1.1],
    [95, 1.1],
  ])('the margin at a target of %d is %d', (target, margin) => {
    expect(marginFor(target)).toBe(margin)
  })
})

describe('the score of a JPEG is estimated from its quality', () => {
  it('rises with the quality and with every reduction', () => {
    for (const reduction of [0.1, 0.25, 0.4, 0.5, 0.75, 1]) {
      for (let quality = 11; quality <= 98; quality++) {
        expect(sourceScore(quality, reduction)).toBeGreaterThan(sourceScore(quality - 1, reduction))
      }
    }
    for (let quality = 10; quality <= 98; quality++) {
      expect(sourceScore(quality, 0.5)).toBeGreaterThan(sourceScore(quality, 0.75))
      expect(sourceScore(quality, 0.75)).toBeGreaterThan(sourceScore(quality, 1))
    }
  })

  it.each([
    [50, 1, 62.5],
    [55, 1, 64.55],
    [90, 1, 84.5],
    [50, 0.5, 82.1],
    [1, 1, -10.2],
    [100, 1, 91.5],
    [50, 0.01, 90.4],
  ])('quality %i at %d is about %d', (quality, reduction, score) => {
    expect(sourceScore(quality, reduction)).toBeCloseTo(score, 6)
  })
})

describe('a re-encode of a lossy source must not add a visible loss (§3.2)', () => {
  it.each([
    ['a source far above the preset may lose down to it', 'medium', 1, 91, 70],
    ['exactly 10 above is far enough', 'medium', 1, 80, 70],
    ['a source near the preset must be met at 80', 'medium', 1, 79.9, 80],
    ['a poor source must be met at 80', 'low', 1, 40, 80],
    ['a high preset asks for itself', 'high', 1, 90, 85],
    ['a dense screen hides the second loss as well', 'medium', 2, 60, 72],
  ] as const)('requires the score against a lossy source: %s', (_, preset, density, own, required) => {
    expect(requiredAgainstLossy(preset, density, own)).toBe(required)
  })
})

describe('the second promise', () => {
  it.each([
    [55, 2.4],
    [70, 1.5],
    [85, 0.75],
  ])('a target of %d allows a Butteraugli 3-norm of %d, which counts as just that', (target, norm) => {
    expect(butteraugliBound(target)).toBeCloseTo(norm)
    expect(effectiveScore(norm)).toBeCloseTo(target)
  })

  it('falls with the target, also between and beyond the presets', () => {
    const bounds = [45, 55, 62, 70, 80, 85, 95].map(butteraugliBound)
    expect(bounds).toEqual(bounds.toSorted((a, b) => b - a))
  })

  it('doubles the bounds of places and multiplies that of Butteraugli by 1.6 at 15 points below low', () => {
    const { tileColour, contour, butteraugli3, ssimulacra } = boundsOf({ preset: 'low', score: 40 }, 1)
    expect([ssimulacra, tileColour, contour]).toEqual([40, 16, 10])
    expect(butteraugli3).toBeCloseTo(2.4 * 1.6)
  })

  it('a distance of 0 counts as score 100', () => {
    expect([effectiveScore(0), effectiveScore(1e-9)]).toEqual([100, 100])
  })
})
