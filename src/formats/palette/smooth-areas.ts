import type { Raster } from '../../core/image.ts'
import { wordsOf } from '../../raster/scan.ts'

/** px from a pixel: those near must differ little, and any of these must differ at all. */
const REACH = { near: 2, far: 7 } as const
/** Levels of any channel by which a pixel of a gradient differs at most from the near and from the far ones. */
const MAX_CHANGE = { near: 12, far: 30 } as const

/** Pixels that are looked at at once. */
const STRIP_PIXELS = 1e6

/** Two samples of a word, each in 16 bits, and a bit above each of them. */
const [PAIR, ABOVE] = [0x00ff00ff, 0x02000200] as const

/**
 * Compares the four samples of two words at once: whether none differs by more than `levels`. Alpha counts half: it rises by 6 to 12 levels a
 * pixel in the soft shadows of icons, whose rims had visible steps. Half takes 0.1 % more bytes (17 graphics); 24 levels for every channel took 11 % more.
 */
const openComparison = (levels: number): ((a: number, b: number) => boolean) => {
  const [redBlue, greenAlpha] = [ABOVE + levels * 0x00010001, ABOVE + levels * 0x00020001]
  return (a, b) => {
    const p = a & PAIR
    const q = b & PAIR
    const r = (a >>> 8) & PAIR
    const s = (b >>> 8) & PAIR
    // The bit above a sample stays where the difference is at most `levels`.
    return ((p + redBlue - q) & (q + redBlue - p) & (r + greenAlpha - s) & (s + greenAlpha - r) & ABOVE) === ABOVE
  }
}

const isWithinNear = openComparison(MAX_CHANGE.near)
const isWithinFar = openComparison(MAX_CHANGE.far)

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
  const { buffer, byteOffset, length } = wordsOf(strip)
  // Signed, since V8 keeps an unsigned word of an opaque pixel as a floating point number.
  const words = new Int32Array(buffer, byteOffset, length)
  for (let to = 0, y = first; to < smooth.length; y += 1) {
    const above = { near: y >= REACH.near ? REACH.near * width : 0, far: y >= REACH.far ? REACH.far * width : 0 }
    const below = {
      near: y + REACH.near < height ? REACH.near * width : 0,
      far: y + REACH.far < height ? REACH.far * width : 0,
    }
    for (let x = 0, at = y * width; x < width; x += 1, at += 1, to += 1) {
      const word = words[at]!
      const [up, down] = [words[at - above.near]!, words[at + below.near]!]
      const left = words[x >= REACH.near ? at - REACH.near : at]!
      const right = words[x + REACH.near < width ? at + REACH.near : at]!
      if (up !== word || down !== word || left !== word || right !== word) {
        smooth[to] =
          isWithinNear(up, word) && isWithinNear(down, word) && isWithinNear(left, word) && isWithinNear(right, word)
            ? 1
            : 0
        continue
      }
      const changes =
        changesLittle(words[at - above.far]!, word) ||
        changesLittle(words[at + below.far]!, word) ||
        changesLittle(words[x >= REACH.far ? at - REACH.far : at]!, word) ||
        changesLittle(words[x + REACH.far < width ? at + REACH.far : at]!, word)
      smooth[to] = changes ? 1 : 0
    }
  }
}

/** Whether a far pixel has another colour, but one that differs by little. */
const changesLittle = (far: number, word: number): boolean => far !== word && isWithinFar(far, word)
