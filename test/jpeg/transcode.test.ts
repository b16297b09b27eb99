import { compressJpeg } from '@napi-rs/image'
import sharp from 'sharp'
import { describe, expect, it } from 'vitest'
import { addChroma } from '../../src/jpeg/bitstream/add-chroma.ts'
import { JpegRefusal } from '../../src/jpeg/bitstream/refusal.ts'
import { transcodeJpeg } from '../../src/jpeg/bitstream/transcode.ts'
import { decoded, fixture, largestDifference } from './fixtures.ts'

const kinds: Record<string, string> = {
  'testdata__flower_small.q85_420_non_interleaved.jpg': 'baseline 4:2:0 in one scan a component',
  'pillow__iptc_roundUp.jpg': 'baseline 4:2:2',
  'squoosh__screenshot2.jpg': 'progressive 4:4:4',
  'pillow__hopper_orientation_5.jpg': 'baseline 4:2:0 with Exif',
  'pillow__pil_sample_cmyk.jpg': 'CMYK with restart markers',
  'serenity__ycck-2112.jpg': 'YCCK with subsampled chroma',
  'serenity__rgb_components.jpg': 'RGB without a colour transform',
  'thumbor__grayscale-icc.jpg': 'grey with a profile',
  'thumbor__cmyk.jpg': 'a flat CMYK',
}

describe('adding neutral chroma to a JPEG', () => {
  it.each([
    [67, 45],
    [64, 64],
    [1, 1],
    [9, 200],
  ])('the samples of a grey JPEG of %i x %i px stay the same, in three components', async (width, height) => {
    const data = Uint8Array.from({ length: width * height }, (_, i) => (i * 37 + ((i / width) | 0) * 11) & 255)
    const grey = await sharp(data, { raw: { width, height, channels: 1 } })
      .toColourspace('b-w')
      .jpeg()
      .toBuffer()
    const colour = addChroma(grey)
    expect((await sharp(colour).metadata()).channels).toBe(3)
    const samples = await Promise.all([grey, colour].map((jpeg) => sharp(jpeg).toColourspace('srgb').raw().toBuffer()))
    expect(samples[1]!.equals(samples[0]!)).toBe(true)
  })

  it('a JPEG of three components, and one with a grey profile, stay as they are', () => {
    for (const name of ['pillow__iptc_roundUp.jpg', 'thumbor__grayscale-icc.jpg']) {
      const source = fixture(name)
      expect(addChroma(source)).toBe(source)
    }
  })
})

describe('storing a JPEG again', () => {
  for (const [name, kind] of Object.entries(kinds)) {
    it(`keeps every sample of ${kind}`, async () => {
      const source = fixture(name)
      const transcoded = transcodeJpeg(source)
      expect(transcoded.truncated).toBe(false)
      expect(largestDifference(await decoded(source), await decoded(transcoded.bytes))).toBe(0)
    })

    it(`is no larger than mozjpeg's of ${kind}`, async () => {
      const source = fixture(name)
      const peer = await compressJpeg(source, { quality: 100 })
      expect(transcodeJpeg(source).bytes.length).toBeLessThanOrEqual(peer.length)
    })
  }

  it('gives the same bytes when its own output is stored again', () => {
    const once = transcodeJpeg(fixture('pillow__iptc_roundUp.jpg')).bytes
    expect(transcodeJpeg(once).bytes).toEqual(once)
  })

  it('keeps of the metadata just orientation and profile, when asked', async () => {
    const icc = new Uint8Array(70_000).map((_, i) => i % 251)
    const { bytes } = transcodeJpeg(fixture('pillow__hopper_orientation_5.jpg'), { orientation: 5, icc })
    const facts = await sharp(bytes).metadata()
    expect(facts.orientation).toBe(5)
    expect(new Uint8Array(facts.icc!)).toEqual(icc)
    const bare = await sharp(transcodeJpeg(fixture('pillow__hopper_orientation_5.jpg')).bytes).metadata()
    expect(bare.orientation).toBeUndefined()
    expect(bare.exif).toBeUndefined()
  })

  it('says that a cut file is truncated, and keeps what is there', async () => {
    const transcoded = transcodeJpeg(fixture('pillow__iptc_roundUp.jpg').subarray(0, 15_000))
    expect(transcoded.truncated).toBe(true)
    expect(await sharp(transcoded.bytes).metadata()).toMatchObject({ width: 640, height: 480 })
  })

  it('reads a file of every sampling sharp writes', async () => {
    for (const chromaSubsampling of ['4:2:0', '4:4:4']) {
      for (const progressive of [true, false]) {
        const source = await sharp(fixture('kodim05-190x158.png')).jpeg({ chromaSubsampling, progressive }).toBuffer()
        const { bytes, truncated } = transcodeJpeg(source)
        expect(truncated).toBe(false)
        expect(largestDifference(await decoded(source), await decoded(bytes))).toBe(0)
      }
    }
  })
})

const header = (...segments: number[][]): Uint8Array => Uint8Array.from([0xff, 0xd8, ...segments.flat()])
const frame = (marker: number, bits = 8, height = 8, width = 8): number[] => [
  0xff,
  marker,
  0,
  11,
  bits,
  height >> 8,
  height & 255,
  width >> 8,
  width & 255,
  1,
  1,
  0x11,
  0,
]

describe('what is not read', () => {
  const cases: [string, Uint8Array][] = [
    ['not-a-jpeg', Uint8Array.of(137, 80, 78, 71)],
    ['not-a-jpeg', new Uint8Array(0)],
    ['no-image', header()],
    ['arithmetic', header(frame(0xc9))],
    ['lossless', header(frame(0xc3))],
    ['hierarchical', header(frame(0xc5))],
    ['twelve-bit', header(frame(0xc1, 12))],
    ['unknown-height', header(frame(0xc0, 8, 0))],
    ['too-large', header(frame(0xc0, 8, 65535, 65535))],
    ['bad-header', header(frame(0xc0), frame(0xc0))],
  ]
  for (const [reason, bytes] of cases) {
    it(`is refused as ${reason} (${bytes.length} bytes)`, () => {
      expect(() => transcodeJpeg(bytes)).toThrow(expect.objectContaining({ name: 'JpegRefusal', reason }))
      expect(() => transcodeJpeg(bytes)).toThrow(JpegRefusal)
    })
  }
})

/** A scan of component 1 with one Huffman table of one symbol (code 0): its bits, then ones. */
const scanOf = (kind: 0 | 1, symbol: number, [ss, se, bits]: [number, number, number], data: number): number[] => {
  const table = [0xff, 0xc4, 0, 20, kind << 4, 1, ...new Array<number>(15).fill(0), symbol]
  return [...table, 0xff, 0xda, 0, 8, 1, 1, 0, ss, se, bits, data]
}

/** One block of 8x8 grey: DC 0, no AC but what the last scan of 1..2 adds after `run` zeros. */
const refined = (run: number, upto = 63): Uint8Array =>
  header(
    [0xff, 0xdb, 0, 67, 0, ...new Array<number>(64).fill(1)],
    frame(0xc2),
    scanOf(0, 0, [0, 0, 0x00], 0x7f),
    scanOf(1, 0, [1, 63, 0x01], 0x7f),
    scanOf(1, 0, [3, upto, 0x10], 0x7f),
    scanOf(1, (run << 4) | 1, [1, 2, 0x10], 0x7f),
    [0xff, 0xd9],
  )

describe('a progressive file', () => {
  it('counts as whole when it is', async () => {
    const transcoded = transcodeJpeg(refined(1))
    expect(transcoded.truncated).toBe(false)
    expect(largestDifference(await decoded(refined(1)), await decoded(transcoded.bytes))).toBe(0)
  })

  it('counts as truncated when it leaves bits open, although it has an end: decoders smooth it', () => {
    expect(transcodeJpeg(refined(1, 62)).truncated).toBe(true)
  })

  it('counts as damaged when a coefficient lies beyond its band', () => {
    for (const run of [2, 5, 14]) expect(transcodeJpeg(refined(run)).truncated).toBe(true)
  })
})
