import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import sharp, { type Sharp } from 'sharp'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { SourceFacts } from '../../src/core/image.ts'
import { identify } from '../../src/source/identify.ts'
import { makeSpoolDirectory, type SpoolDirectory } from './spool-directory.ts'

let directory: SpoolDirectory
let count = 0

beforeAll(async () => {
  directory = await makeSpoolDirectory()
})
afterAll(() => directory[Symbol.asyncDispose]())

const identifyImage = async (image: Sharp): Promise<SourceFacts> => {
  const path = join(directory.path, String(count++))
  await writeFile(path, await image.toBuffer())
  return identify(path)
}

const opaque = (width = 21, height = 13): Sharp =>
  sharp({ create: { width, height, channels: 3, background: { r: 200, g: 100, b: 50 } } })
const clear = (): Sharp =>
  sharp({ create: { width: 21, height: 13, channels: 4, background: { r: 9, g: 9, b: 9, alpha: 0.5 } } })
/** Three frames of different grey. */
const moving = (): Sharp => {
  const pixels = Buffer.concat([0, 90, 180].map((grey) => Buffer.alloc(21 * 13 * 3, grey)))
  return sharp(pixels, { raw: { width: 21, height: 39, channels: 3, pageHeight: 13 } })
}

describe('facts read from the header equal those that were encoded', () => {
  it.each<[string, () => Sharp, Partial<SourceFacts>]>([
    ['JPEG', () => opaque().jpeg({ quality: 83 }), { format: 'jpeg', jpeg: { quality: 83, components: 3 } }],
    [
      'progressive JPEG',
      () => opaque().jpeg({ progressive: true, quality: 40 }),
      { jpeg: { quality: 40, components: 3 } },
    ],
    ['grey JPEG', () => opaque().toColourspace('b-w').jpeg({ quality: 5 }), { jpeg: { quality: 5, components: 1 } }],
    [
      'CMYK JPEG',
      () => opaque().toColourspace('cmyk').jpeg(),
      { format: 'jpeg', jpeg: { quality: 80, components: 4 } },
    ],
    ['turned JPEG', () => opaque().withMetadata({ orientation: 5 }).jpeg(), { orientation: 5 }],
    ['JPEG with sRGB', () => opaque().withIccProfile('srgb').jpeg(), { profile: 'srgb' }],
    ['JPEG with Display P3', () => opaque().withIccProfile('p3').jpeg(), { profile: 'other' }],
    ['PNG', () => opaque().png(), { format: 'png', alpha: false, depth: 8 }],
    ['PNG of 16 bits', () => opaque().toColourspace('rgb16').png(), { format: 'png', depth: 16 }],
    ['PNG with alpha', () => clear().png(), { alpha: true }],
    ['PNG with Display P3', () => opaque().withIccProfile('p3').png(), { profile: 'other' }],
    ['PNG with sRGB', () => opaque().withIccProfile('srgb').png(), { profile: 'srgb' }],
    ['turned PNG', () => opaque().withMetadata({ orientation: 3 }).png(), { orientation: 3 }],
    ['GIF', () => opaque().gif(), { format: 'gif', frames: 1 }],
    ['moving GIF', () => moving().gif({ loop: 0 }), { frames: 3, loop: 0 }],
    ['moving GIF, twice', () => moving().gif({ loop: 2 }), { frames: 3, loop: 2 }],
    ['moving GIF, once', () => moving().gif({ loop: 1 }), { frames: 3, loop: 1 }],
    ['WebP', () => opaque().webp(), { format: 'webp', alpha: false, profile: 'none' }],
    ['lossless WebP', () => clear().webp({ lossless: true }), { format: 'webp', alpha: true }],
    ['WebP with alpha', () => clear().webp(), { format: 'webp', alpha: true }],
    [
      'turned WebP with Display P3',
      () => opaque().withMetadata({ orientation: 8 }).withIccProfile('p3').webp(),
      { orientation: 8, profile: 'other' },
    ],
    ['moving WebP', () => moving().webp({ loop: 4 }), { format: 'webp', frames: 3, loop: 4 }],
    ['AVIF', () => opaque().avif({ effort: 0 }), { format: 'avif', alpha: false, depth: 8, orientation: 1 }],
    ['AVIF with alpha', () => clear().avif({ effort: 0 }), { format: 'avif', alpha: true }],
    ['AVIF with Display P3', () => opaque().withIccProfile('p3').avif({ effort: 0 }), { profile: 'other' }],
    ['TIFF', () => opaque().tiff(), { format: 'tiff', alpha: false, depth: 8, frames: 1 }],
    ['TIFF of three pages', () => moving().tiff(), { format: 'tiff', frames: 3 }],
    ['BigTIFF', () => opaque().tiff({ bigtiff: true }), { format: 'tiff', depth: 8 }],
    ['TIFF with alpha', () => clear().tiff({ compression: 'deflate' }), { format: 'tiff', alpha: true }],
    ['turned TIFF', () => opaque().withMetadata({ orientation: 6 }).tiff(), { orientation: 6 }],
    ['TIFF with Display P3', () => opaque().withIccProfile('p3').tiff(), { profile: 'other' }],
  ])('the header of a %s holds what the encoder wrote', async (_what, image, expected) => {
    expect(await identifyImage(image())).toMatchObject({ width: 21, height: 13, ...expected })
  })

  it.each([1, 17, 4095, 16_383])('identifies a WebP and a JPEG of %d px', async (width) => {
    for (const image of [
      opaque(width, 1).webp({ effort: 0 }),
      opaque(width, 1).webp({ lossless: true, effort: 0 }),
      opaque(width, 1).jpeg(),
    ])
      expect(await identifyImage(image)).toMatchObject({ width, height: 1 })
  })
})
