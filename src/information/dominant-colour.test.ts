import { expect, it } from 'vitest'
import type { Raster } from '../core/image.ts'
import { dominantColour } from './dominant-colour.ts'

const raster = (channels: 3 | 4, pixels: readonly (readonly number[])[]): Raster => ({
  width: pixels.length,
  height: 1,
  channels,
  data: Uint8Array.from(pixels.flat()),
})

it.each<[string, Raster, string]>([
  ['one colour', raster(3, [[18, 52, 86]]), '#123456'],
  [
    'the colour of most pixels, not the mean of all',
    raster(3, [
      [255, 0, 0],
      [255, 0, 0],
      [0, 0, 255],
    ]),
    '#ff0000',
  ],
  [
    'the mean of shades that belong together',
    raster(3, [
      [10, 10, 10],
      [20, 20, 20],
      [255, 255, 255],
    ]),
    '#0f0f0f',
  ],
  [
    'what is seen: transparent pixels do not count',
    raster(4, [
      [0, 255, 0, 0],
      [0, 255, 0, 0],
      [9, 9, 99, 255],
    ]),
    '#090963',
  ],
  ['nothing that is seen', raster(4, [[7, 7, 7, 0]]), '#000000'],
])('finds %s', (_, image, colour) => expect(dominantColour(image)).toBe(colour))
