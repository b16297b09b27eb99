/** Small images with exact colours, and functions that write them as files. */
import { writeFile } from 'node:fs/promises'
import sharp from 'sharp'
import type { Extent, Orientation, Raster, SourceFacts } from '../../src/core/image.ts'

export type Colour = readonly [r: number, g: number, b: number, a?: number]

/** Draws an image from the colour of each pixel. RGBA when any colour has alpha. */
export const draw = (size: Extent, colourAt: (x: number, y: number) => Colour): Raster => {
  const colours = Array.from({ length: size.width * size.height }, (_, at) =>
    colourAt(at % size.width, Math.floor(at / size.width)),
  )
  const channels = colours.some((colour) => colour.length === 4) ? 4 : 3
  const data = Uint8Array.from(colours.flatMap(([r, g, b, a]) => (channels === 4 ? [r, g, b, a ?? 255] : [r, g, b])))
  return { ...size, channels, data }
}

/** The colour of one pixel. */
export const colourOf = ({ data, width, channels }: Raster, x: number, y: number): readonly number[] => [
  ...data.subarray((y * width + x) * channels, (y * width + x + 1) * channels),
]

/** Largest difference of any sample, 0..255, of two images of the same shape. */
export const farthest = (a: Raster, b: Raster): number => {
  if (a.data.length !== b.data.length) return Infinity
  return a.data.reduce((worst, sample, at) => Math.max(worst, Math.abs(sample - b.data[at]!)), 0)
}

/** Mean difference of samples, 0..255. */
export const distance = (a: Raster, b: Raster): number => {
  if (a.data.length !== b.data.length) return Infinity
  return a.data.reduce((sum, sample, at) => sum + Math.abs(sample - b.data[at]!), 0) / a.data.length
}

/** Position of each upright pixel in the stored image, by orientation (EXIF 2.32, tag 274). */
const STORED: Readonly<Record<Orientation, (x: number, y: number, size: Extent) => readonly [number, number]>> = {
  1: (x, y) => [x, y],
  2: (x, y, { width }) => [width - 1 - x, y],
  3: (x, y, { width, height }) => [width - 1 - x, height - 1 - y],
  4: (x, y, { height }) => [x, height - 1 - y],
  5: (x, y) => [y, x],
  6: (x, y, { width }) => [y, width - 1 - x],
  7: (x, y, { width, height }) => [height - 1 - y, width - 1 - x],
  8: (x, y, { height }) => [height - 1 - y, x],
}

/** The stored form of an image under an orientation. */
export const storedAs = (upright: Raster, orientation: Orientation): Raster => {
  const { width, height, channels, data } = upright
  const stored = orientation >= 5 ? { width: height, height: width } : { width, height }
  const turned = new Uint8Array(data.length)
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const [toX, toY] = STORED[orientation](x, y, upright)
      const from = (y * width + x) * channels
      turned.set(data.subarray(from, from + channels), (toY * stored.width + toX) * channels)
    }
  }
  return { ...stored, channels, data: turned }
}

/** Writes a lossless PNG with an EXIF orientation. */
export const writePng = async (path: string, pixels: Raster, orientation: Orientation = 1): Promise<void> => {
  const { width, height, channels, data } = pixels
  const image = sharp(data, { raw: { width, height, channels } })
  await image.withMetadata({ orientation }).png().toFile(path)
}

/** Facts about a file, for tests that are not about identification. */
export const factsOf = async (path: string): Promise<SourceFacts> => {
  const { width, height, orientation, hasAlpha, format, icc } = await sharp(path, { failOn: 'none' }).metadata()
  return {
    format: format === 'heif' ? 'avif' : (format as SourceFacts['format']),
    width,
    height,
    frames: 1,
    alpha: hasAlpha,
    orientation: (orientation ?? 1) as Orientation,
    profile: icc === undefined ? 'none' : 'other',
    bytes: 1,
  }
}

export const saveBytes = (path: string, bytes: Uint8Array): Promise<void> => writeFile(path, bytes)
