import { inflateSync } from 'node:zlib'
import sharp from 'sharp'
import { describe, expect, it } from 'vitest'
import { readPngChunks } from '../../src/containers/png.ts'
import { JpegRefusal } from '../../src/jpeg/bitstream/refusal.ts'
import { JxlRefusal, jxlFromJpeg, type KeptInJxl } from '../../src/jxl/from-jpeg.ts'
import { damage } from '../fuzz/damage.ts'
import { fixture, largestDifference } from '../jpeg/fixtures.ts'
import { pngByOxide, readBack } from './read-back.ts'
import { scratchFile } from './scratch-file.ts'

/** A damaged JPEG as JPEG XL with a copy of the pixels that decoders show. undefined for a refusal; anything else is thrown. */
const written = (jpeg: Uint8Array, kept?: KeptInJxl) => {
  try {
    const { bytes, shown } = jxlFromJpeg(jpeg, kept)
    const { data, ...extent } = shown()
    return { bytes, ...extent, data: data.slice() }
  } catch (error) {
    if (error instanceof JxlRefusal || error instanceof JpegRefusal) return undefined
    throw error
  }
}

const CASES = 20
/** Larger images take seconds to read back; headers whose size was damaged claim gigapixels. */
const MAX_PIXELS = 200_000

describe('a damaged JPEG', () => {
  it.each([
    'pillow__hopper_orientation_5.jpg',
    'thumbor__grayscale-icc.jpg',
    'pillow__truncated_jpeg.jpg',
  ])('is written so that a decoder shows what is expected of %s', { timeout: 60_000 }, async (name) => {
    let read = 0
    for (let seed = 2_000; seed < 2_000 + CASES; seed++) {
      const jxl = written(damage(fixture(name), seed))
      if (jxl === undefined || jxl.width * jxl.height > MAX_PIXELS) continue
      const back = await readBack('jxl-oxide', jxl.bytes)
      expect([back.width, back.height], `seed ${seed}`).toEqual([jxl.width, jxl.height])
      expect(largestDifference(back.data, jxl.data), `seed ${seed}`).toBeLessThanOrEqual(1)
      read++
    }
    expect(read).toBeGreaterThan(0)
  })
})

/** The profile in a PNG, which readers of PNG ignore when it is damaged. */
const profileIn = (png: Uint8Array): Uint8Array => {
  const chunk = [...readPngChunks(png)].find(({ type }) => type === 'iCCP')?.data ?? Buffer.of(0, 0)
  return new Uint8Array(inflateSync(chunk.subarray(chunk.indexOf(0) + 2)))
}

/** Error of the decoder for a whole profile whose curves have damaged numbers. */
const UNKNOWN_CURVE = /parametricCurveType/

it('writes a damaged profile byte for byte where it is whole, and refuses others', { timeout: 60_000 }, async () => {
  const jpeg = fixture('pillow__hopper_orientation_5.jpg')
  const { icc } = await sharp(await sharp(jpeg).withIccProfile('p3').jpeg().toBuffer()).metadata()
  const outcomes = new Set<string>()
  for (let seed = 3_000; seed < 3_000 + CASES * 3; seed++) {
    const profile = damage(icc!, seed)
    const jxl = written(jpeg, { icc: profile })
    outcomes.add(jxl === undefined ? 'refused' : 'written')
    if (jxl === undefined) continue
    await using file = await scratchFile(jxl.bytes)
    const read = await pngByOxide(file.path).catch((error: unknown) => String(error))
    if (typeof read === 'string') expect(read, `seed ${seed}`).toMatch(UNKNOWN_CURVE)
    else expect(profileIn(read), `seed ${seed}`).toEqual(profile)
  }
  expect(outcomes).toEqual(new Set(['written', 'refused']))
})
