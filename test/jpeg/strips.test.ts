import sharp from 'sharp'
import { describe, expect, it } from 'vitest'
import type { AnyRaster } from '../../src/core/image.ts'
import { metadataSegments } from '../../src/jpeg/bitstream/metadata.ts'
import { bestScript } from '../../src/jpeg/bitstream/scan-script.ts'
import { writeJpeg } from '../../src/jpeg/bitstream/write.ts'
import { type CoefficientForm, openJpegEncoder, type Setting } from '../../src/jpeg/quantiser/encoder.ts'
import type { Subsampling } from '../../src/jpeg/quantiser/quant-tables.ts'
import { encodeInStrips } from '../../src/jpeg/quantiser/strips.ts'
import { decoded, fixture, samplesOf } from './fixtures.ts'

const photo = await samplesOf(fixture('kodim05-190x158.png'))
const odd = await samplesOf(
  await sharp(fixture('kodim05-190x158.png')).extract({ left: 0, top: 0, width: 189, height: 157 }).png().toBuffer(),
)

/** A setting as a search finds it, and the file that the encoder makes of the whole image with it. */
const encodeWhole = (image: AnyRaster, subsampling: Subsampling, quality: number) => {
  const encoder = openJpegEncoder(image, subsampling)
  const setting: Setting = { quality, ...encoder.analyse({ quality }), maskingMean: encoder.maskingMean() }
  const { dcOffsets } = encoder.analyse({ quality, rates: setting.rates!, maskingMean: setting.maskingMean! })
  encoder.quantise({ ...setting, ...(dcOffsets === undefined ? {} : { dcOffsets }) })
  return { setting, bytes: encoder.finish() }
}

/** Share of samples that differ by more than one code value. */
const differing = (one: Uint8Array, other: Uint8Array): number => {
  expect(one.length).toBe(other.length)
  return one.filter((value, at) => Math.abs(value - other[at]!) > 1).length / one.length
}

describe('an encode in strips', () => {
  for (const subsampling of ['4:2:0', '4:4:4'] satisfies Subsampling[])
    it(`shows the pixels of an encode of the whole, single steps of DC apart, at ${subsampling}`, async () => {
      const { setting, bytes } = encodeWhole(photo, subsampling, 60)
      const { bytes: inStrips } = encodeInStrips(photo, { setting, subsampling }, { stripSamples: 190 * 48 * 2 })
      expect(Math.abs(inStrips.length / bytes.length - 1)).toBeLessThan(0.005)
      expect(differing(await decoded(inStrips), await decoded(bytes))).toBeLessThan(0.02)
    })

  it('gives the very file of an encode of the whole where there is one strip', () => {
    const { setting, bytes } = encodeWhole(photo, '4:2:0', 60)
    const { bytes: inStrips } = encodeInStrips(photo, { setting, subsampling: '4:2:0' })
    expect(Buffer.from(inStrips).equals(bytes)).toBe(true)
  })

  for (const [image, subsampling] of [
    [photo, '4:2:0'],
    [photo, '4:2:2'],
    [photo, '4:4:4'],
    [odd, '4:2:0'],
  ] satisfies [AnyRaster, Subsampling][])
    for (const quality of [20, 95])
      it(`shows what libjpeg decodes of ${image.width} x ${image.height} px, at ${subsampling} and quality ${quality}`, async () => {
        const { bytes, shown } = encodeInStrips(
          image,
          { setting: { quality }, subsampling },
          { stripSamples: 190 * 48 * 2 },
        )
        expect(Buffer.from(shown().data).equals(await decoded(bytes))).toBe(true)
      })

  it('frees the coefficients once they are shown', () => {
    const { shown } = encodeInStrips(photo, { setting: { quality: 60 }, subsampling: '4:2:0' })
    shown()
    expect(shown).toThrow('freed')
  })

  it('gives the same coefficients to another form', () => {
    const setting = { setting: { quality: 60 }, subsampling: '4:2:0' } as const
    const options = { stripSamples: 190 * 48 * 2 }
    const form: CoefficientForm = {
      lambdaScale: 1,
      shown: () => photo,
      write: (kernel, frame) => writeJpeg(kernel, frame, bestScript(kernel, frame, 'fast'), metadataSegments({})),
    }
    const { bytes, shown } = encodeInStrips(photo, setting, { ...options, form })
    expect(Buffer.from(bytes).equals(encodeInStrips(photo, setting, options).bytes)).toBe(true)
    expect(shown).toThrow('freed')
  })

  it('shows one channel of a grey image', async () => {
    const grey = { ...photo, data: new Uint8Array(190 * 158).map((_, at) => at % 190), channels: 1 } as const
    const { bytes, shown } = encodeInStrips(
      grey,
      { setting: { quality: 60 }, subsampling: '4:2:0' },
      { stripSamples: 190 * 48 },
    )
    const { data, ...size } = shown()
    expect(size).toEqual({ width: 190, height: 158, channels: 1 })
    expect(Buffer.from(data).equals(await sharp(bytes).toColourspace('b-w').raw().toBuffer())).toBe(true)
  })

  it('keeps the colours of an image whose first strip is grey', async () => {
    const half = photo.data.length >> 1
    const data = photo.data.map((value, at) => (at < half ? 128 : value))
    const image = { ...photo, data }
    const { setting } = encodeWhole(image, '4:2:0', 80)
    const inStrips = encodeInStrips(image, { setting, subsampling: '4:2:0' }, { stripSamples: 190 * 48 })
    const shown = await decoded(inStrips.bytes)
    expect(differing(shown, await decoded(encodeWhole(image, '4:2:0', 80).bytes))).toBeLessThan(0.02)
  })
})
