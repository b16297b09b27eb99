import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { openSsimulacra2 } from '../../src/metric/ssimulacra2/ssimulacra2.ts'
import { readPairs, toleranceOf } from './pairs.ts'
import { readRaster } from './read-raster.ts'

/** A few pairs come with the project; GOLDEN_DIR names a folder with more, laid out alike. */
const folder = process.env['GOLDEN_DIR'] ?? fileURLToPath(new URL('pairs', import.meta.url))
const pairs = readPairs(folder)
const metric = await openSsimulacra2()

describe(`the reference tool's scores of ${pairs.length} pairs`, () => {
  it.each(pairs)('$kind: $reference', async (pair) => {
    const original = await readRaster(pair.original)
    const distorted = await readRaster(pair.distorted)
    using reference = metric.prepare(original)
    const exact = reference.compare(distorted, 'exact')
    const [low, high] = toleranceOf(pair)
    expect(exact - pair.reference, basename(pair.original)).toBeGreaterThan(low)
    expect(exact - pair.reference, basename(pair.original)).toBeLessThan(high)
    expect(Math.abs(reference.compare(distorted) - exact)).toBeLessThan(0.001)
  })
})
