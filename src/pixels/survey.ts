import type { Pixels } from '../core/image.ts'
import type { PixelFacts } from '../plan/shortlist.ts'
import { wordsOf } from './scan.ts'

/** Distinct colours beyond a palette need not be told apart. */
const PALETTE = 256
/** Pixels that are looked at together, so that an RGB image needs no second copy as words. */
const BAND = 1 << 16

/** What was found so far; a pixel that repeats the one before tells nothing new but that. */
interface Findings {
  repeats: number
  grey: boolean
  holes: boolean
  soft: boolean
  readonly colours: Set<number>
}

/** What pixels tell about the formats that suit them. */
export const survey = (pixels: Pixels): PixelFacts => {
  const { width, height } = turnColumn(pixels)
  const found: Findings = { repeats: 0, grey: true, holes: false, soft: false, colours: new Set() }
  const rows = Math.max(1, Math.floor(BAND / width))
  for (let top = 0; top < height; top += rows) {
    const band = rowsOf(pixels, width, top, Math.min(height, top + rows))
    lookAt(wordsOf(band), width, found)
  }
  return {
    opaque: !found.holes && !found.soft,
    binaryAlpha: !found.soft,
    grey: found.grey,
    colours: found.colours.size,
    flatness: width === 1 ? 1 : found.repeats / ((width - 1) * height),
  }
}

/** A single column is looked at as a row, since neighbours are looked for along rows. */
const turnColumn = ({ width, height }: Pixels) => (width === 1 ? { width: height, height: 1 } : { width, height })

const rowsOf = ({ data, channels }: Pixels, width: number, top: number, bottom: number): Pixels => ({
  width,
  height: bottom - top,
  channels,
  data: data.subarray(top * width * channels, bottom * width * channels),
})

const lookAt = (words: Uint32Array, width: number, found: Findings): void => {
  for (let row = 0; row < words.length; row += width) {
    let before = words[row]!
    lookAtNew(before, found)
    let repeats = 0
    for (let at = row + 1; at < row + width; at++) {
      const word = words[at]!
      if (word === before) repeats++
      else {
        before = word
        lookAtNew(word, found)
      }
    }
    found.repeats += repeats
  }
}

const lookAtNew = (word: number, found: Findings): void => {
  if (found.grey) found.grey = ((word ^ (word >>> 8)) & 0xffff) === 0
  const alpha = word >>> 24
  if (alpha === 0) found.holes = true
  else if (alpha !== 255) found.soft = true
  // All fully transparent pixels are one colour, whatever hides in them.
  if (found.colours.size <= PALETTE) found.colours.add(alpha === 0 ? 0 : word)
}
