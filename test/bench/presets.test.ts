import { expect, it } from 'vitest'
import { median } from '../../bench/corpus/floor.ts'
import { type FormatReading, summaryOf } from '../../bench/presets/summary.ts'

const reading = (changes: Partial<FormatReading>): FormatReading => ({
  file: 'one.png',
  category: 'photographs',
  quality: 'medium',
  format: 'webp',
  bytes: 100,
  free: { format: 'jpeg', bytes: 100 },
  equalSsimulacra: 0.9,
  equalButteraugli: Number.NaN,
  isLossless: false,
  isMissed: false,
  ...changes,
})

it('the table of presets has a row for each category, format and preset, with medians, the worst ratio and counts', () => {
  const rows = summaryOf(
    [
      reading({ bytes: 80 }),
      reading({ bytes: 100, equalButteraugli: 0.95 }),
      reading({ bytes: 300, isLossless: true }),
      reading({ quality: 'high', isMissed: true }),
    ],
    median,
  )
  expect(rows).toHaveLength(2)
  expect(rows[0]).toMatchObject({ group: 'photographs webp medium', images: 3, worst: 3, lossless: 1, missed: 0 })
  expect(rows[0]).toMatchObject({ 'of our free answer, median': 1, 'at equal Butteraugli': 0.95 })
  expect(rows[1]).toMatchObject({ group: 'photographs webp high', missed: 1 })
})
