import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { openButteraugli } from '../../src/metric/butteraugli/butteraugli.ts'
import { openPair, readRecorded } from './butteraugli-pairs.ts'

/** Some pairs come with the project; GOLDEN_DIR names a folder with more (scripts/record-butteraugli.ts records its figures). */
const folder = process.env['GOLDEN_DIR'] ?? fileURLToPath(new URL('pairs', import.meta.url))
const pairs = readRecorded(folder)
const butteraugli = await openButteraugli()

/**
 * Relative deviations. Small images deviate only by the integer steps of the line detectors. In others the two wider
 * Gaussians are approximated by cells too: 0.4 % in the mean square, 1.4 and 2.6 % at most.
 */
const EXACT = { norm3: 0.001, maximum: 0.004 }
const BY_CELLS = { norm3: 0.015, maximum: 0.03 }
const SMALL = 48
/** The tool prints six decimals. */
const PRINTED = 1e-6

describe(`what butteraugli_main prints for ${pairs.length} pairs`, () => {
  it.each(pairs)('$original $candidate: 3-norm $norm3, maximum $maximum', async (pair) => {
    const { original, candidate } = await openPair(folder, pair)
    using reference = butteraugli.prepare(original)
    const scores = reference.compare(candidate)
    const tolerance = Math.min(original.width, original.height) < SMALL ? EXACT : BY_CELLS
    expect(Math.abs(scores.norm3 - pair.norm3)).toBeLessThan(tolerance.norm3 * pair.norm3 + PRINTED)
    expect(Math.abs(scores.maximum - pair.maximum)).toBeLessThan(tolerance.maximum * pair.maximum + PRINTED)
  })

  it('is met within 0.1 % in the mean, so that no search is biased', async () => {
    const logs: number[] = []
    for (const pair of pairs.filter(({ norm3 }) => norm3 > 0)) {
      const { original, candidate } = await openPair(folder, pair)
      using reference = butteraugli.prepare(original)
      logs.push(Math.log(reference.compare(candidate).norm3 / pair.norm3))
    }
    expect(Math.abs(logs.reduce((sum, log) => sum + log, 0) / logs.length)).toBeLessThan(0.001)
  })
})
