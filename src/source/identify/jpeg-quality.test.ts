import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { estimateQuality, type QuantTable } from './jpeg-quality.ts'

/** Tables of libjpeg at quality 50, and its rule for others, in zigzag order. */
const LUMINANCE =
  '16 11 12 14 12 10 16 14 13 14 18 17 16 19 24 40 26 24 22 22 24 49 35 37 29 40 58 51 61 60 57 51 56 55 64 72 92 78 64 68 87 69 55 56 80 109 81 87 95 98 103 104 103 62 77 113 121 112 100 120 92 101 103 99'
    .split(' ')
    .map(Number)

const scaled = (quality: number): QuantTable => {
  const percent = quality < 50 ? 5000 / quality : 200 - quality * 2
  return LUMINANCE.map((base) => Math.max(1, Math.min(255, Math.floor((base * Math.trunc(percent) + 50) / 100))))
}

describe('the quality of a JPEG', () => {
  it('the quality is exact for every table of libjpeg that differs from its neighbours', () => {
    for (let quality = 1; quality <= 100; quality++) {
      const found = estimateQuality(scaled(quality), undefined)
      expect(scaled(found)).toEqual(scaled(quality))
    }
  })

  it('the quality is within 5 when every divisor is one off', () => {
    const table = scaled(75).map((value) => value + 1)
    expect(Math.abs(estimateQuality(table, undefined) - 75)).toBeLessThanOrEqual(5)
  })

  it('the quality is 1 to 100 for any tables', () => {
    const table = fc.array(fc.integer({ min: 0, max: 65_535 }), { minLength: 64, maxLength: 64 })
    fc.assert(
      fc.property(table, fc.option(table, { nil: undefined }), (luminance, chrominance) => {
        const quality = estimateQuality(luminance, chrominance)
        return Number.isInteger(quality) && quality >= 1 && quality <= 100
      }),
    )
  })
})
