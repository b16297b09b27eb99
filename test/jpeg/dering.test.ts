import sharp from 'sharp'
import { describe, expect, it } from 'vitest'
import type { AnyRaster } from '../../src/core/image.ts'
import { floatsAt, openKernel } from '../../src/jpeg/kernel.ts'
import { dering } from '../../src/jpeg/quantiser/dering.ts'
import { openJpegEncoder } from '../../src/jpeg/quantiser/encoder.ts'
import { quantTablesAt } from '../../src/jpeg/quantiser/quant-tables.ts'
import { type TransformedImage, transformImage } from '../../src/jpeg/quantiser/transformed-image.ts'
import { largestDifference, seeded } from './fixtures.ts'

/** Strokes in black and greys on white, and white ones on black below: 45 x 38 grey pixels, not whole blocks. */
const strokes = (): AnyRaster => {
  const [width, height] = [45, 38]
  const data = new Uint8Array(width * height).fill(255, 0, width * 20)
  const random = seeded(5)
  for (let n = 0; n < 40; n++) {
    const [x, y] = [random() % width, random() % height]
    const ink = y < 20 ? [0, 0, 60, 130][n % 4]! : [255, 255, 180, 90][n % 4]!
    for (let i = 0; i < 7; i++)
      if (n % 2 ? x + i < width : y + i < height) data[n % 2 ? y * width + x + i : (y + i) * width + x] = ink
  }
  return { data, width, height, channels: 1 }
}

// biome-ignore format: zigzag order, 16 a line
const natural = [
  0, 1, 8, 16, 9, 2, 3, 10, 17, 24, 32, 25, 18, 11, 4, 5, 12, 19, 26, 33, 40, 48, 41, 34, 27, 20, 13, 6, 7, 14, 21, 28,
  35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23, 30, 37, 44, 51, 58, 59, 52, 45, 38, 31, 39, 46, 53, 60, 61, 54, 47, 55, 62, 63,
]
const cosine = (x: number, u: number): number =>
  Math.cos(((2 * x + 1) * u * Math.PI) / 16) * (u === 0 ? Math.SQRT1_2 : 1)

/** The code value at a pixel, by the definition of the inverse DCT (T.81 A.3.3). */
const valueAt = ({ kernel, frame, dct }: TransformedImage, x: number, y: number): number => {
  const { stride } = frame.components[0]!
  const block = floatsAt(kernel, dct[0]! + ((y >> 3) * stride + (x >> 3)) * 256, 64)
  return natural.reduce((sum, at, k) => sum + (block[k]! / 4) * cosine(x & 7, at & 7) * cosine(y & 7, at >> 3), 128)
}

/** How many coefficients are half a step or more. */
const worth = ({ kernel, frame, dct }: TransformedImage, quality: number): number => {
  const { stride, rows } = frame.components[0]!
  const quantTable = quantTablesAt(quality, '4:2:0')[0]
  return floatsAt(kernel, dct[0]!, stride * rows * 64).filter((v, i) => Math.abs(v) >= quantTable[i % 64]! / 2).length
}

describe('letting white and black run over', () => {
  const image = strokes()
  const canvasOf = (): TransformedImage => transformImage(openKernel(), image, '4:2:0')

  for (const quality of [0, 50, 95]) {
    it(`leaves every pixel as it shows, with fewer coefficients worth a step, at ${quality}`, () => {
      const transformed = canvasOf()
      const before = worth(transformed, quality)
      dering(transformed.kernel, transformed.free, transformed.dct[0]!, quality, '4:2:0')
      let beyond = 0
      for (let y = 0; y < image.height; y++) {
        for (let x = 0; x < image.width; x++) {
          const value = valueAt(transformed, x, y)
          if (value < -2 || value > 257) beyond++
          expect(Math.abs(Math.max(0, Math.min(255, value)) - image.data[y * image.width + x]!)).toBeLessThan(0.01)
        }
      }
      expect(beyond).toBeGreaterThan(50)
      expect(worth(transformed, quality)).toBeLessThan(before * 0.95)
    })
  }

  for (const quality of [-20, 60, 96]) {
    it(`shows what libjpeg-turbo decodes of the file, at ${quality}`, async () => {
      const encoder = openJpegEncoder(image)
      const first = encoder.analyse({ quality })
      const pixels = encoder.reconstruct({ quality, ...first }).data.slice()
      const { data } = await sharp(encoder.finish()).toColourspace('b-w').raw().toBuffer({ resolveWithObject: true })
      expect(largestDifference(pixels, new Uint8Array(data))).toBe(0)
    })
  }

  it('gives the same file at a quality whatever was trials before', () => {
    const [fresh, used] = [openJpegEncoder(image), openJpegEncoder(image)]
    for (const quality of [10, 90]) used.analyse({ quality })
    for (const encoder of [fresh, used]) encoder.quantise({ quality: 50 })
    expect(used.finish()).toEqual(fresh.finish())
  })

  it('leaves an image without white and black alone', () => {
    const grey: AnyRaster = {
      ...image,
      width: 40,
      height: 32,
      data: image.data.slice(0, 1280).map((v) => 1 + v / 1.01),
    }
    expect(transformImage(openKernel(), grey, '4:2:0').free.count).toBe(0)
  })
})
