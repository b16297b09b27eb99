import sharp from 'sharp'
import { describe, expect, it } from 'vitest'
import { jxlFromJpeg } from '../../src/jxl/from-jpeg.ts'
import { openSsimulacra2 } from '../../src/metric/ssimulacra2/ssimulacra2.ts'
import { decodeJxl } from '../../src/raster/decoders/jxl.ts'
import { identify } from '../../src/source/identify.ts'
import { fixture } from '../jpeg/fixtures.ts'
import { readBack } from '../jxl/read-back.ts'
import { scratchFile } from '../jxl/scratch-file.ts'
import { LIMITS } from '../plan-samples.ts'
import { runForJxl } from './run-jxl.ts'
import { PHOTO, photo, screenshotWithPhoto } from './samples.ts'

const metric = openSsimulacra2()

describe('format=jxl', () => {
  it('keeps the promise of a photograph on what a decoder of JPEG XL shows, in fewer bytes than JPEG', async () => {
    const source = await photo()
    const [jxl, jpeg] = [await runForJxl(source, 'full,format=jxl'), await runForJxl(source, 'full,format=jpeg')]
    expect(jxl.result).toMatchObject({ format: 'jxl', meetsTarget: true, warnings: [] })
    expect(jxl.bytes.length).toBeLessThan(jpeg.bytes.length * 0.95)
    using reference = (await metric).prepare(jxl.pixels, 'exact')
    expect(reference.compare(await readBack('jxl-oxide', jxl.bytes))).toBeGreaterThanOrEqual(70)
  })

  it('stores the coefficients of a JPEG without loss', async () => {
    const source = fixture('pillow__iptc_roundUp.jpg')
    const { result, bytes } = await runForJxl(source, 'full,format=jxl,quality=lossless')
    expect(result).toMatchObject({ format: 'jxl', untouched: true, warnings: [] })
    expect(Buffer.from(bytes).equals(jxlFromJpeg(source).bytes)).toBe(true)
  })

  it('stores a CMYK JPEG as JPEG without loss, and says why', async () => {
    const { result } = await runForJxl(fixture('pillow__pil_sample_cmyk.jpg'), 'full,format=jxl,quality=lossless')
    expect(result.format).toBe('jpeg')
    expect(result.warnings).toContain('JPEG XL has no form for the coefficients of a CMYK JPEG.')
  })

  it('encodes a drawing in the next best format, with a Warning', async () => {
    const { result } = await runForJxl(await screenshotWithPhoto(), 'full,format=jxl')
    expect(result.format).not.toBe('jxl')
    expect(result.warnings).toContain('JPEG XL is not made from drawings; this is the next best format.')
  })

  it('labels wide colours as Display P3', async () => {
    const source = await sharp(PHOTO).withIccProfile('p3').png().toBuffer()
    const { bytes } = await runForJxl(source, 'full,format=jxl,gamut=p3')
    await using file = await scratchFile(bytes)
    const facts = await identify(file.path)
    const decoded = await decodeJxl({ path: file.path, limits: LIMITS, facts })
    // 11 is the format's number of P3's primaries, which jxl-oxide passes on. The white point is a field of its own.
    expect(decoded).toMatchObject({ codePoints: { primaries: 11, transfer: 13 } })
  })
})

describe('Accept: image/jxl', () => {
  it('returns the coefficients of a JPEG as JPEG XL if a search saves nothing', async () => {
    const source = fixture('testdata__flower_small.q85_420_non_interleaved.jpg')
    const { result } = await runForJxl(source, 'full,quality=lossless', true)
    expect(result).toMatchObject({ format: 'jxl', untouched: true })
    expect(result.bytes).toBeLessThan(source.length * 0.95)
  })
})
