import { readFileSync } from 'node:fs'
import sharp from 'sharp'
import type { Raster } from '../../src/core/image.ts'
import { toPixels } from '../../src/raster/raw.ts'

type Named = readonly [name: string, open: () => Promise<Raster>]
type Colour = readonly [number, number, number]

export const WIDTH = 176
export const HEIGHT = 120

const drawn = (at: (x: number, y: number) => Colour) => async (): Promise<Raster> => {
  const data = new Uint8Array(WIDTH * HEIGHT * 3)
  for (let i = 0; i < WIDTH * HEIGHT; i += 1) data.set(at(i % WIDTH, Math.floor(i / WIDTH)), i * 3)
  return { data, width: WIDTH, height: HEIGHT, channels: 3 }
}

/** A fixed number from 0 to 1 for two whole numbers. */
const noise = (x: number, y: number): number => {
  const product = Math.imul(Math.imul(x + 1, 73_856_093) ^ Math.imul(y + 1, 19_349_663), 2_654_435_761)
  return (product >>> 8) / 2 ** 24
}

/** Two colours in turns, as a chart's hatching. */
const stripes = drawn((x, y) => ((x + 2 * y) % 5 < 2 ? [20, 60, 140] : [250, 250, 245]))

/** Slopes of two colours, dithered by a matrix of 4 x 4. */
const MATRIX = [0, 8, 2, 10, 12, 4, 14, 6, 3, 11, 1, 9, 15, 7, 13, 5]
const dither = drawn((x, y) => {
  const shade = (x / WIDTH + Math.sin(y / 17) / 4) * 16
  return shade > MATRIX[(y % 4) * 4 + (x % 4)]! + 0.5 ? [240, 230, 200] : [30, 20, 60]
})

/** Lines of strokes with soft rims on paper, as small print. */
const text = drawn((x, y) => {
  const [column, line] = [Math.floor(x / 8), Math.floor(y / 14)]
  const [dx, dy] = [x % 8, y % 14]
  const isGap = dy > 9 || dx > 6 || (column * 7 + line * 3) % 6 === 0
  const kind = (column * 13 + line * 29) % 4
  const distances = [Math.abs(dx - 1), Math.abs(dy - 2), kind % 2 === 0 ? Math.abs(dx - 5) : Math.abs(dy - 8)]
  const ink = isGap ? 0 : Math.max(0, Math.min(1, 1.4 - Math.min(...distances)))
  return [250 - 220 * ink, 249 - 215 * ink, 244 - 190 * ink]
})

/** A soft slope of colours in a frame. */
const gradient = drawn((x, y) => {
  const isFrame = Math.min(x, y, WIDTH - 1 - x, HEIGHT - 1 - y) < 4
  return isFrame ? [10, 20, 30] : [120 + x / 3, 90 + y / 2, 160 + (x + y) / 9]
})

/** Blocks of 6 px in 12 colours. */
const pixelArt = drawn((x, y) => {
  const chosen = Math.floor(noise(x / 6, y / 6) * 12)
  return [(chosen * 67) % 256, (chosen * 131) % 256, (chosen * 29) % 256]
})

/** Drawings of 176 x 120 px. */
export const drawnImages: readonly Named[] = [
  ['stripes', stripes],
  ['a dither', dither],
  ['text', text],
  ['a gradient', gradient],
  ['pixel art', pixelArt],
]

const photograph = (path: string) => async (): Promise<Raster> => {
  const file = readFileSync(new URL(`../fixtures/${path}`, import.meta.url))
  return toPixels(await sharp(file).resize(WIDTH, HEIGHT).png().toBuffer())
}

/** Photographs of the same size. */
export const photographs: readonly Named[] = [
  ['a lighthouse', photograph('jpeg/kodim05-190x158.png')],
  ['parrots', photograph('jpeg/kodim23-190x158.png')],
  ['a flower', photograph('jpeg/testdata__flower_small.q85_420_non_interleaved.jpg')],
]
