import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { openButteraugli } from '../../src/metric/butteraugli/butteraugli.ts'
import { openMetrics } from '../../src/metric/metrics.ts'
import { openSsimulacra2 } from '../../src/metric/ssimulacra2/ssimulacra2.ts'
import { distort } from '../golden/distort.ts'
import { readRaster } from '../golden/read-raster.ts'

const pair = (name: string) => fileURLToPath(new URL(`../golden/pairs/${name}`, import.meta.url))
const photograph = await readRaster(pair('056-original.png'))
const softLogo = await readRaster(pair('000-original.png'))
const metrics = await openMetrics()

describe('measuring a candidate', () => {
  it.each([
    ['a photograph', photograph],
    ['a logo with soft alpha', softLogo],
  ])('gives what each metric gives: %s', async (_, image) => {
    const candidate = distort(image, 'coarse')
    using reference = metrics.prepare(image)
    const scores = reference.measure(candidate)
    using similar = (await openSsimulacra2()).prepare(image)
    using distant = (await openButteraugli()).prepare(image)
    const { norm3, maximum, worstTile, worstAt } = distant.compare(candidate)
    expect(scores.ssimulacra).toBe(similar.scores(candidate).score)
    expect(scores.worstTileSsimulacra).toBe(similar.scores(candidate).worst)
    expect([scores.butteraugli3, scores.butteraugliMax, scores.worstTileButteraugli]).toEqual([
      norm3,
      maximum,
      worstTile,
    ])
    expect(scores.worstAt.butteraugli).toEqual(worstAt)
    expect(scores.tileColour).toBeGreaterThan(0.1)
  })

  it('finds nothing wrong with the same pixels', () => {
    using reference = metrics.prepare(softLogo)
    const { ssimulacra, butteraugli3, butteraugliMax, tileColour, contour } = reference.measure(softLogo)
    expect([ssimulacra, butteraugli3, butteraugliMax, tileColour, contour]).toEqual([100, 0, 0, 0, 0])
  })

  it('has the colour that bled apart from steps of luma', () => {
    const grey = [190, 190, 190] as const
    const colourAt = (x: number, side: readonly number[]) => (x < 8 ? [240, 230, 40] : x < 12 ? side : grey)
    const shown = (side: readonly number[]) => {
      const data = Uint8Array.from({ length: 3 * 64 * 96 }, (_, i) => colourAt(Math.floor(i / 3) % 64, side)[i % 3]!)
      return { width: 64, height: 96, channels: 3 as const, data }
    }
    using reference = metrics.prepare(shown(grey))
    const bled = reference.measure(shown([200, 195, 150]))
    expect(bled.bleeding).toBeGreaterThan(2.5)
    expect(bled.bleeding).toBeLessThanOrEqual(bled.contour)
    const lighter = reference.measure(shown([200, 200, 200]))
    expect(lighter.bleeding).toBeLessThan(0.2)
  })

  it('sees tiles of twice the size at 2x', () => {
    const candidate = distort(photograph, 'noise')
    using near = metrics.prepare(photograph, 1)
    using far = metrics.prepare(photograph, 2)
    expect(far.measure(candidate).tileColour).toBeLessThan(near.measure(candidate).tileColour)
    expect(far.measure(candidate).worstAt.tileColour.width).toBeGreaterThanOrEqual(32)
  })

  it('refuses another size, and figures read after its end', () => {
    const reference = metrics.prepare(photograph)
    expect(() => reference.measure(softLogo).tileColour).toThrow(RangeError)
    expect(() => reference.measure(softLogo).butteraugli3).toThrow(RangeError)
    const late = reference.measure(photograph)
    reference.free()
    expect(() => late.ssimulacra).toThrow()
  })
})
