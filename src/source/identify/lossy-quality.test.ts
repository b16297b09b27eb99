import sharp from 'sharp'
import { describe, expect, it } from 'vitest'
import { quantiserOfAv1 } from './av1-quality.ts'
import { readHeif } from './heif.ts'
import { readBytes } from './reader.ts'
import { quantiserOfVp8 } from './vp8-quality.ts'
import { readWebp } from './webp.ts'

const WIDTH = 200
const pixels = Buffer.from(Array.from({ length: WIDTH * 150 * 3 }, (_, i) => (i * i * 31) % 253))
const image = sharp(pixels, { raw: { width: WIDTH, height: 150, channels: 3 } })

const READERS = { webp: readWebp, avif: readHeif } as const

describe.each(['webp', 'avif'] as const)('the quality of a %s', (format) => {
  const qualityOf = async (quality: number): Promise<number> =>
    (await READERS[format](readBytes(await image.clone()[format]({ quality }).toBuffer()))).equivalentQuality!
  it('the quality rises with that of its encoder', async () => {
    const qualities = await Promise.all([20, 40, 60, 80, 95].map(qualityOf))
    expect(qualities).toEqual(qualities.toSorted((a, b) => a - b))
    expect(new Set(qualities).size).toBe(5)
  })
  it('the quality of a lossless file is 100 or unknown', async () => {
    const file = await image.clone()[format]({ lossless: true }).toBuffer()
    expect((await READERS[format](readBytes(file))).equivalentQuality ?? 100).toBe(100)
  })
  it('a file truncated after its header is still identified', async () => {
    const file = await image.clone()[format]({ quality: 50 }).toBuffer()
    const start = file.indexOf(format === 'webp' ? 'VP8 ' : 'mdat')
    for (let length = start + 30; length < start + 200; length += 1)
      expect((await READERS[format](readBytes(file.subarray(0, length)))).width).toBe(WIDTH)
  })
})

it('any bytes give a quantiser in range or none', () => {
  for (let seed = 1; seed < 500; seed += 1) {
    const bytes = Uint8Array.from({ length: seed % 90 }, (_, i) => (i * seed * 2_654_435 + (seed >> 2)) & 255)
    const index = quantiserOfVp8(bytes)
    expect(index >= 0 && index <= 127).toBe(true)
    expect(quantiserOfAv1(bytes) ?? 0).toBeLessThanOrEqual(255)
  }
})
