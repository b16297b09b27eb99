import sharp, { type JpegOptions } from 'sharp'
import { describe, expect, it } from 'vitest'
import type { AnyRaster } from '../../src/core/image.ts'
import { openJpegEncoder } from '../../src/jpeg/quantiser/encoder.ts'
import { JxlRefusal, jxlFromJpeg } from '../../src/jxl/from-jpeg.ts'
import { identify } from '../../src/source/identify.ts'
import { fixture, largestDifference, seeded } from '../jpeg/fixtures.ts'
import { DECODERS, hasDjxl, readBack } from './read-back.ts'
import { scratchFile } from './scratch-file.ts'

/** Smooth colours with some noise: long and short blocks in all channels. */
const scene = (width: number, height: number): AnyRaster => {
  const random = seeded(width * 4096 + height)
  const data = new Uint8Array(width * height * 3)
  for (let i = 0; i < width * height; i++) {
    const [x, y] = [i % width, Math.floor(i / width)]
    const noise = y > height / 2 ? (random() % 64) - 32 : 0
    data[i * 3] = Math.max(0, Math.min(255, (x * 255) / width + noise))
    data[i * 3 + 1] = Math.max(0, Math.min(255, (y * 255) / height + noise))
    data[i * 3 + 2] = (x ^ y) & 255
  }
  return { width, height, channels: 3, data }
}

const ours = (width: number, height: number, subsampling: '4:4:4' | '4:2:2' | '4:2:0', quality = 80): Uint8Array => {
  const encoder = openJpegEncoder(scene(width, height), subsampling)
  encoder.quantise({ quality })
  const bytes = encoder.finish()
  encoder.close()
  return bytes
}

const bySharp = ({ width, height, data }: AnyRaster, options: JpegOptions): Promise<Buffer> =>
  sharp(data, { raw: { width, height, channels: 3 } })
    .jpeg(options)
    .toBuffer()

type Case = readonly [what: string, jpeg: () => Uint8Array | Promise<Uint8Array>]

const CASES: readonly Case[] = [
  ['a photograph in 4:2:0, one scan a component', () => fixture('testdata__flower_small.q85_420_non_interleaved.jpg')],
  ['a photograph in 4:2:2', () => fixture('pillow__iptc_roundUp.jpg')],
  ['a progressive picture in 4:4:4', () => fixture('squoosh__screenshot2.jpg')],
  ['a grey photograph', () => fixture('thumbor__grayscale-icc.jpg')],
  ['a single pixel', () => bySharp(scene(1, 1), { chromaSubsampling: '4:2:0' })],
  ['a row of pixels', () => ours(300, 1, '4:2:0')],
  ['a column of pixels', () => ours(1, 270, '4:2:2')],
  ['odd sides in 4:2:0 over several groups', () => ours(519, 263, '4:2:0')],
  ['odd sides in 4:2:2 over several groups', () => ours(519, 263, '4:2:2')],
  ['odd sides in 4:4:4 over several groups', () => ours(519, 263, '4:4:4')],
  ['sides that are whole groups', () => ours(512, 256, '4:2:0')],
  ['more than one group of LF coefficients', () => ours(2065, 70, '4:2:0', 30)],
  ['the finest steps', () => bySharp(scene(70, 50), { quality: 100, chromaSubsampling: '4:4:4' })],
  ['the coarsest steps', () => bySharp(scene(70, 50), { quality: 1 })],
  ['nothing but one colour', () => bySharp({ ...scene(40, 40), data: new Uint8Array(4800).fill(200) }, {})],
]

describe.each(DECODERS)('%s', (decoder) => {
  it.skipIf(decoder === 'djxl' && !hasDjxl).each(CASES)(
    'shows within one level what is expected of %s',
    async (_, jpeg) => {
      const jxl = jxlFromJpeg(await jpeg())
      const expected = jxl.shown()
      const copy = { ...expected, data: expected.data.slice() }
      const shown = await readBack(decoder, jxl.bytes)
      expect([shown.width, shown.height]).toEqual([copy.width, copy.height])
      expect(largestDifference(shown.data, copy.data)).toBeLessThanOrEqual(1)
    },
  )
})

describe('a JPEG as JPEG XL', () => {
  it.each([
    'testdata__flower_small.q85_420_non_interleaved.jpg',
    'pillow__iptc_roundUp.jpg',
    'squoosh__screenshot2.jpg',
  ])('takes fewer bytes than %s', (name) => {
    const jpeg = fixture(name)
    expect(jxlFromJpeg(jpeg).bytes.length).toBeLessThan(jpeg.length * 0.95)
  })

  it('gives the same bytes each time', () => {
    const jpeg = ours(200, 120, '4:2:0')
    expect(jxlFromJpeg(jpeg).bytes).toEqual(jxlFromJpeg(jpeg).bytes)
  })

  it('keeps the orientation of its source', async () => {
    const { bytes } = jxlFromJpeg(ours(40, 24, '4:4:4'), { orientation: 6 })
    await using file = await scratchFile(bytes)
    expect(await identify(file.path)).toMatchObject({ format: 'jxl', width: 24, height: 40 })
    expect(await readBack('jxl-oxide', bytes)).toMatchObject({ width: 24, height: 40 })
  })

  it.each([
    ['of colours', 'pillow__iptc_roundUp.jpg', 'p3'],
    ['of grey', 'thumbor__grayscale-icc.jpg', undefined],
  ])('keeps a profile %s byte for byte', async (_, name, made) => {
    const jpeg = fixture(name)
    const { icc } = await sharp(
      made === undefined ? jpeg : await sharp(jpeg).withIccProfile(made).jpeg().toBuffer(),
    ).metadata()
    const { bytes } = jxlFromJpeg(jpeg, { icc: icc! })
    await using file = await scratchFile(bytes)
    expect(await file.profile()).toEqual(icc)
  })

  it.each([
    ['pillow__pil_sample_cmyk.jpg', 'cmyk'],
    ['serenity__ycck-2112.jpg', 'cmyk'],
    ['serenity__rgb_components.jpg', 'rgb'],
  ] as const)('refuses %s, whose colours have no form', (name, reason) => {
    expect(() => jxlFromJpeg(fixture(name))).toThrow(expect.objectContaining({ name: 'JxlRefusal', reason }))
    expect(() => jxlFromJpeg(fixture(name))).toThrow(JxlRefusal)
  })

  it('says that a cut source is damaged', () => {
    expect(jxlFromJpeg(fixture('pillow__iptc_roundUp.jpg').subarray(0, 9000)).truncated).toBe(true)
  })
})
