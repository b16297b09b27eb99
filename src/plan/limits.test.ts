import { describe, expect, it } from 'vitest'
import { LIMITS, sourceOf } from '../../test/plan-samples.ts'
import type { SourceFacts } from '../core/image.ts'
import { checkSource, clampExtent } from './limits.ts'

describe('a source is refused (413) beyond the limits of §7', () => {
  const cases: readonly [string, Partial<SourceFacts>, string | undefined][] = [
    ['10000x10000 px is exactly legal', { width: 10000, height: 10000 }, undefined],
    ['a side of 10001 px is too large', { width: 10001, height: 1 }, 'SOURCE_TOO_LARGE'],
    ['a height of 10001 px is too large', { width: 1, height: 10001 }, 'SOURCE_TOO_LARGE'],
    ['50 MB is legal', { bytes: LIMITS.maxBytes }, undefined],
    ['one byte more is too heavy', { bytes: LIMITS.maxBytes + 1 }, 'SOURCE_TOO_HEAVY'],
    ['a gigapixel in all frames is legal', { format: 'gif', width: 1000, height: 1000, frames: 1000 }, undefined],
    ['a frame more is not', { format: 'gif', width: 1000, height: 1000, frames: 1001 }, 'SOURCE_TOO_MANY_FRAMES'],
    ['an SVG that claims to be huge has no pixels to refuse', { format: 'svg', width: 1e6, height: 1e6 }, undefined],
    ['a heavy SVG is refused', { format: 'svg', bytes: LIMITS.maxBytes + 1 }, 'SOURCE_TOO_HEAVY'],
  ]
  it.each(cases)('checks the limits: %s', (_, facts, code) => {
    expect(checkSource(sourceOf(facts), LIMITS)?.code).toBe(code)
  })

  it('the refusal names the upright size', () => {
    expect(checkSource(sourceOf({ width: 12000, height: 5, orientation: 6 }), LIMITS)?.message).toContain('5x12000')
  })

  it("an account's own limits apply", () => {
    expect(checkSource(sourceOf({ width: 200, height: 100 }), { ...LIMITS, maxPixels: 19999 })?.code).toBe(
      'SOURCE_TOO_LARGE',
    )
  })
})

describe('an output is at most 10000 px a side and 100 megapixels (§2.4)', () => {
  it.each([
    [
      { width: 10000, height: 10000 },
      { width: 10000, height: 10000 },
    ],
    [
      { width: 30000, height: 15000 },
      { width: 10000, height: 5000 },
    ],
    [
      { width: 1, height: 1e6 },
      { width: 1, height: 10000 },
    ],
    [
      { width: 3, height: 2 },
      { width: 3, height: 2 },
    ],
  ])('%j becomes %j', (wanted, clamped) => {
    expect(clampExtent(wanted, LIMITS)).toEqual(clamped)
  })

  it('keeps the aspect ratio under a limit on the area', () => {
    const { width, height } = clampExtent({ width: 4000, height: 2000 }, { maxSide: 10000, maxPixels: 2e6 })
    expect([width, height]).toEqual([2000, 1000])
  })
})

it('keeps the aspect ratio of an extent that was rounded before it is clamped', () => {
  expect(clampExtent({ width: 10848, height: 487 }, { maxSide: 10000, maxPixels: 1e8 })).toEqual({
    width: 10000,
    height: 449,
  })
})
