import sharp, { type Sharp } from 'sharp'
import { describe, expect, it } from 'vitest'
import type { AnyRaster } from '../../src/core/image.ts'
import { openArtefacts } from '../../src/metric/artefacts/artefacts.ts'
import { openButteraugli } from '../../src/metric/butteraugli/butteraugli.ts'

const PHOTO = new URL('../fixtures/jpeg/kodim05-190x158.png', import.meta.url).pathname
/** Not a whole number of tiles either way. */
const SIZE = [413, 1001] as const

const rasterOf = async (image: Sharp): Promise<AnyRaster> => {
  const { data, info } = await image.raw().toBuffer({ resolveWithObject: true })
  return { data, width: info.width, height: info.height, channels: info.channels as 3 | 4 }
}

const source = await sharp(PHOTO)
  .resize(...SIZE, { fit: 'fill' })
  .png()
  .toBuffer()
const shown = await sharp(source).jpeg({ quality: 30 }).toBuffer()
const opaque = { reference: await rasterOf(sharp(source)), candidate: await rasterOf(sharp(shown)) }
const fading = {
  reference: await rasterOf(sharp(source).ensureAlpha(0.6)),
  candidate: await rasterOf(sharp(shown).ensureAlpha(0.6)),
}
const whole = await openArtefacts()
const inStrips = await openArtefacts({ strip: 60_000 })

describe('colours and contours looked at in strips', () => {
  for (const [name, { reference, candidate }] of Object.entries({ opaque, fading }))
    for (const density of [1, 2, 3] as const)
      it(`are those of the whole to the last bit, ${name}, at density ${density}`, () => {
        using once = whole.prepare(reference, density)
        using stripwise = inStrips.prepare(reference, density)
        const found = stripwise.worst(candidate)
        expect(found).toEqual(once.worst(candidate))
        expect(found.contour.figure).toBeGreaterThan(0.1)
      })

  it('are looked at in the given boxes alone', () => {
    const { reference, candidate } = opaque
    const data = Uint8Array.from(reference.data)
    const { width, channels } = reference
    const box = { left: 64, top: 96, width: 128, height: 160 }
    for (let y = box.top; y < box.top + box.height; y++) {
      const [from, to] = [box.left, box.left + box.width].map((x) => (y * width + x) * channels)
      data.set(candidate.data.subarray(from, to), from)
    }
    const partly = { ...reference, data }
    const outside = { left: 256, top: 320, width: 128, height: 320 }
    using only = whole.prepare(reference, 1, [outside])
    expect(only.worst(partly).colour.figure).toBe(0)
    using inside = whole.prepare(reference, 1, [outside, box])
    const { colour } = inside.worst(partly)
    expect(colour.figure).toBeGreaterThan(0)
    expect(colour.at.left).toBeGreaterThanOrEqual(box.left)
    expect(colour.at.top).toBeGreaterThanOrEqual(box.top)
  })
})

describe('Butteraugli compared in bands of columns', () => {
  for (const [name, { reference, candidate }] of Object.entries({ opaque, fading }))
    it(`gives the distances of the whole to the last bit, ${name}`, async () => {
      const atOnce = await openButteraugli({ keep: 0, columns: 1000 })
      const inBands = await openButteraugli({ keep: 0, columns: 100 })
      using once = atOnce.prepare(reference)
      using bandwise = inBands.prepare(reference)
      expect(bandwise.compare(candidate)).toEqual(once.compare(candidate))
    })
})
