import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { openButteraugli } from '../../src/metric/butteraugli/butteraugli.ts'
import { openPair, readRecorded } from './butteraugli-pairs.ts'

/** Some pairs come with the project; GOLDEN_DIR names a folder with more (scripts/record-butteraugli.ts records its figures). */
const folder = process.env['GOLDEN_DIR'] ?? fileURLToPath(new URL('pairs', import.meta.url))
const pairs = readRecorded(folder)
const butteraugli = await openButteraugli()

/** Relative deviation that single precision explains: 0.02 % at most on all recorded pairs. The tool prints six decimals. */
const TOLERANCE = 0.0005
const PRINTED = 1e-6

describe(`what butteraugli_main prints for ${pairs.length} pairs`, () => {
  it.each(pairs)('$original $candidate: 3-norm $norm3, maximum $maximum', async (pair) => {
    const { original, candidate } = await openPair(folder, pair)
    using reference = butteraugli.prepare(original)
    const scores = reference.compare(candidate)
    expect(Math.abs(scores.norm3 - pair.norm3)).toBeLessThan(TOLERANCE * pair.norm3 + PRINTED)
    expect(Math.abs(scores.maximum - pair.maximum)).toBeLessThan(TOLERANCE * pair.maximum + PRINTED)
  })
})
