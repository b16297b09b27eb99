import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import sharp from 'sharp'
import { describe, expect, it } from 'vitest'
import { asDisplayP3 } from '../../src/containers/display-p3.ts'
import type { Raster } from '../../src/core/image.ts'
import { fromCodePoints } from '../../src/raster/colour/from-code-points.ts'
import { colourInGamut, inGamut } from '../../src/raster/colour/gamut.ts'
import { toRaster } from '../../src/raster/colour/to-raster.ts'
import { decode } from '../../src/raster/decode.ts'
import { identify } from '../../src/source/identify.ts'

const FIXTURES = join(import.meta.dirname, '../fixtures/colour')
const LIMITS = { maxPixels: 1e8 }
const P3_CODE_POINTS = { primaries: 12, transfer: 13 }

const furthest = (a: Uint8Array, b: Uint8Array): number => Math.max(...a.map((level, i) => Math.abs(level - b[i]!)))

/** Every colour of a cube of 17 levels. */
const CUBE: Raster = {
  width: 17,
  height: 17 * 17,
  channels: 3,
  data: Uint8Array.from({ length: 17 ** 3 * 3 }, (_, i) => {
    const colour = Math.floor(i / 3)
    return Math.min(255, (Math.floor(colour / 17 ** (i % 3)) % 17) * 16)
  }),
}

it('the profile of Display P3 equals its code points', async () => {
  const { width, height, channels, data } = CUBE
  const png = asDisplayP3('png', await sharp(data, { raw: { width, height, channels } }).png().toBuffer())
  const byProfile = await sharp(png).toColourspace('srgb').raw().toBuffer()
  expect(furthest(byProfile, fromCodePoints(CUBE, P3_CODE_POINTS).data)).toBeLessThanOrEqual(1)
})

it.each([
  ['black', [0, 0, 0], [0, 0, 0]],
  ['white', [255, 255, 255], [255, 255, 255]],
  ['grey', [119, 119, 119], [119, 119, 119]],
  ['the red of sRGB', [255, 0, 0], [234, 51, 35]],
  ['the green of sRGB', [0, 255, 0], [117, 251, 76]],
])('%s has its own codes in Display P3', (_, [r = 0, g = 0, b = 0], expected) => {
  const { r: red, g: green, b: blue } = colourInGamut({ r, g, b }, 'p3')
  expect([red, green, blue]).toEqual(expected)
})

describe('decoded as Display P3', () => {
  it.each([
    ['a JPEG with a profile', 'wide-gamut-tests__P3-sRGB-red.jpg', [254, 0, 0]],
    ['a PNG of P3', 'sharp__p3.png', [255, 0, 0]],
  ])('%s keeps colours outside of sRGB', async (_, name, reddest) => {
    const path = join(FIXTURES, name)
    const { pixels } = await decode({ path, facts: await identify(path), limits: LIMITS, gamut: 'p3' })
    let found = 0
    for (let at = 0; at < pixels.data.length; at += pixels.channels)
      if (furthest(pixels.data.subarray(at, at + 3), Uint8Array.from(reddest)) <= 1) found++
    expect(found).toBeGreaterThan(10)
  })

  it.each([
    'sharp__prophoto.png',
    'pilbox__example.jpg',
    'serenity__ycck-1111.jpg',
    'zune__cymk.jpg',
    'file-type__fixture-yuv420-8bit.avif',
  ])('%s shows the colours that it shows as sRGB, where that has them', async (name) => {
    const path = join(FIXTURES, name)
    const facts = await identify(path)
    const wanted = { width: 60, height: 40 }
    const [srgb, p3] = await Promise.all(
      (['srgb', 'p3'] as const).map((gamut) => decode({ path, facts, limits: LIMITS, gamut, wanted })),
    )
    const expected = inGamut(srgb!.pixels, 'p3').data
    const off = p3!.pixels.data.reduce((sum, level, i) => sum + Math.abs(level - expected[i]!), 0) / expected.length
    expect(off).toBeLessThan(1.5)
  })
})

it('a file that replaces raw samples keeps their profile', async () => {
  const icc = (await sharp(await readFile(join(FIXTURES, 'sharp__p3.png'))).metadata()).icc!
  const data = Uint8Array.of(255, 0, 0, 0, 255, 0)
  const { data: p3 } = await toRaster(
    { width: 2, height: 1, channels: 3, data, colours: { kind: 'profile', icc } },
    'p3',
  )
  expect(furthest(p3, data)).toBeLessThanOrEqual(1)
})
