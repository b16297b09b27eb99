import type { Raster } from '../../core/image.ts'
import { wordsOf } from '../../raster/scan.ts'

/** px from a pixel: those near must differ little, and any of these must differ at all. */
const REACH = { near: 2, far: 7 } as const
/** Levels of any channel by which a pixel of a gradient differs at most from the near and from the far ones. */
const MAX_CHANGE = { near: 12, far: 30 } as const

/** Pixels that are looked at at once. */
const STRIP_PIXELS = 1e6

/**
 * Largest difference between the four samples of two pixels. Alpha counts half: it rises by 6 to 12 levels a pixel in the soft shadows of
 * icons, whose rims had visible steps. Half takes 0.1 % more bytes (17 graphics); 24 levels for every channel took 11 % more.
 */
const differenceOf = (a: number, b: number): number =>
  Math.max(
    Math.abs((a & 255) - (b & 255)),
    Math.abs(((a >> 8) & 255) - ((b >> 8) & 255)),
    Math.abs(((a >> 16) & 255) - ((b >> 16) & 255)),
    Math.abs((a >>> 24) - (b >>> 24)) / 2,
  )

/**
 * Where an image is a gradient, 1, and elsewhere 0: pixels that differ from those around them, but by little. Flat areas,
 * edges and texture are no gradients. There the eye finds a palette's steps, as bands; there errors are diffused and no
 * pixel takes a neighbour's colour.
 */
export const findSmoothAreas = (pixels: Raster): Uint8Array => {
  const { width, height, data, channels } = pixels
  const smooth = new Uint8Array(width * height)
  // In strips, whose words take four bytes a pixel.
  const rows = Math.max(REACH.far, Math.floor(STRIP_PIXELS / width))
  for (let from = 0; from < height; from += rows) {
    const [top, bottom] = [Math.max(0, from - REACH.far), Math.min(height, from + rows + REACH.far)]
    const strip = {
      width,
      height: bottom - top,
      channels,
      data: data.subarray(top * width * channels, bottom * width * channels),
    }
    const own = smooth.subarray(from * width, Math.min(height, from + rows) * width)
    findInStrip(strip, from - top, own)
  }
  return smooth
}

/** The same of the rows from `first` on, into `smooth`. */
const findInStrip = (strip: Raster, first: number, smooth: Uint8Array): void => {
  const { width, height } = strip
  const words = wordsOf(strip)
  for (let to = 0, y = first; to < smooth.length; y += 1) {
    const upNear = y >= REACH.near ? REACH.near * width : 0
    const downNear = y + REACH.near < height ? REACH.near * width : 0
    const upFar = y >= REACH.far ? REACH.far * width : 0
    const downFar = y + REACH.far < height ? REACH.far * width : 0
    for (let x = 0, at = y * width; x < width; x += 1, at += 1, to += 1) {
      const word = words[at]!
      const near =
        (words[at - upNear]! ^ word) |
        (words[at + downNear]! ^ word) |
        (words[x >= REACH.near ? at - REACH.near : at]! ^ word) |
        (words[x + REACH.near < width ? at + REACH.near : at]! ^ word)
      const far =
        (words[at - upFar]! ^ word) |
        (words[at + downFar]! ^ word) |
        (words[x >= REACH.far ? at - REACH.far : at]! ^ word) |
        (words[x + REACH.far < width ? at + REACH.far : at]! ^ word)
      if ((near | far) === 0) continue
      const steps =
        near === 0
          ? 0
          : Math.max(
              differenceOf(words[at - upNear]!, word),
              differenceOf(words[at + downNear]!, word),
              differenceOf(words[x >= REACH.near ? at - REACH.near : at]!, word),
              differenceOf(words[x + REACH.near < width ? at + REACH.near : at]!, word),
            )
      if (steps > MAX_CHANGE.near) continue
      smooth[to] =
        steps > 0 ||
        changesFarOff(words, word, [
          at - upFar,
          at + downFar,
          x >= REACH.far ? at - REACH.far : at,
          x + REACH.far < width ? at + REACH.far : at,
        ])
          ? 1
          : 0
    }
  }
}

const changesFarOff = (words: Uint32Array, word: number, places: readonly number[]): boolean =>
  places.some((place) => {
    const difference = differenceOf(words[place]!, word)
    return difference > 0 && difference <= MAX_CHANGE.far
  })
