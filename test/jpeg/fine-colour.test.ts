import sharp from 'sharp'
import { expect, it } from 'vitest'
import type { AnyRaster } from '../../src/core/image.ts'
import { openJpegEncoder } from '../../src/jpeg/quantiser/encoder.ts'
import { decoded, fixture } from './fixtures.ts'

/** A photograph two by two times, so that chroma has tables of its own. */
const tiledPhoto = async (): Promise<AnyRaster> => {
  const { data, info } = await sharp({ create: { width: 380, height: 316, channels: 3, background: '#000' } })
    .composite([{ input: Buffer.from(fixture('kodim05-190x158.png')), tile: true, gravity: 'northwest' }])
    .removeAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true })
  return { data: new Uint8Array(data), width: info.width, height: info.height, channels: 3 }
}

const yellowBlue = (data: Uint8Array, pixel: number): number =>
  data[3 * pixel + 2]! - (data[3 * pixel]! + data[3 * pixel + 1]!) / 2

/** Root mean square of what means of 2 x 2 px are off along yellow and blue, in levels. */
const yellowBlueError = ({ width, height, data }: AnyRaster, shown: Uint8Array): number => {
  let sum = 0
  for (let y = 0; y < height; y += 2)
    for (let x = 0; x < width; x += 2) {
      const pixels = [0, 1, width, width + 1].map((step) => y * width + x + step)
      const off = pixels.map((pixel) => yellowBlue(shown, pixel) - yellowBlue(data as Uint8Array, pixel))
      sum += (off.reduce((total, value) => total + value, 0) / 4) ** 2
    }
  return Math.sqrt(sum / ((width * height) / 4))
}

it('keeps fine yellow and blue about as well as mozjpeg does in as many bytes', async () => {
  const photo = await tiledPhoto()
  const encoder = openJpegEncoder(photo)
  encoder.quantise({ quality: 58, rates: encoder.analyse({ quality: 58 }).rates })
  const ours = encoder.finish()
  encoder.close()
  const { data, width, height } = photo
  const mozjpeg = (quality: number): Promise<Buffer> =>
    sharp(data, { raw: { width, height, channels: 3 } })
      .jpeg({ quality, mozjpeg: true })
      .toBuffer()
  let theirs = await mozjpeg(90)
  for (let quality = 89; theirs.length > ours.length; quality--) theirs = await mozjpeg(quality)
  const error = yellowBlueError(photo, await decoded(ours))
  expect(error).toBeLessThan(1.1 * yellowBlueError(photo, await decoded(theirs)))
})
