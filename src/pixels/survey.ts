import type { Pixels } from '../core/image.ts'
import type { PixelFacts } from '../plan/shortlist.ts'
import { wordsOf } from './scan.ts'

/** Distinct colours beyond a palette need not be told apart. */
const PALETTE = 256

/** What pixels tell about the formats that suit them, in one pass over them. */
export const survey = (pixels: Pixels): PixelFacts => {
  const words = wordsOf(pixels)
  return {
    ...(pixels.channels === 4 ? surveyAlpha(pixels.data) : { opaque: true, binaryAlpha: true }),
    grey: isGrey(pixels),
    colours: countColours(words),
    flatness: measureFlatness(words, pixels.width),
  }
}

const surveyAlpha = (data: Uint8Array): Pick<PixelFacts, 'opaque' | 'binaryAlpha'> => {
  let opaque = true
  for (let at = 3; at < data.length; at += 4) {
    const alpha = data[at]!
    if (alpha === 255) continue
    opaque = false
    if (alpha !== 0) return { opaque, binaryAlpha: false }
  }
  return { opaque, binaryAlpha: true }
}

const isGrey = ({ data, channels }: Pixels): boolean => {
  for (let at = 0; at < data.length; at += channels) {
    if (data[at] !== data[at + 1] || data[at] !== data[at + 2]) return false
  }
  return true
}

/** Fully transparent pixels are one colour, whatever hides in them. */
const visible = (word: number): number => (word >>> 24 === 0 ? 0 : word)

const countColours = (words: Uint32Array): number => {
  const seen = new Set<number>()
  let previous = -1
  for (const word of words) {
    if (word === previous) continue
    previous = word
    seen.add(visible(word))
    if (seen.size > PALETTE) return seen.size
  }
  return seen.size
}

/** Share of pixels, 0..1, that equal the one to their left; of a first column, the one above. */
const measureFlatness = (words: Uint32Array, width: number): number => {
  let same = 0
  for (let at = 1; at < words.length; at++) {
    const before = at % width === 0 ? at - width : at - 1
    if (words[at] === words[before]) same++
  }
  return words.length === 1 ? 1 : same / (words.length - 1)
}
