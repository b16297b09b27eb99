import type { Raster } from '../core/image.ts'
import type { PixelFacts } from '../plan/shortlist.ts'
import { lazily } from '../support/lazily.ts'
import { wordsOf } from './scan.ts'

/** Maximum colours that are counted. */
export const MAX_COUNTED_COLOURS = 256
/** Pixels per band, so that an RGB image needs no second copy as words. */
const BAND_PX = 1 << 14

/** Facts collected from the bands so far. */
interface Findings {
  repeats: number
  rows: number
  grey: boolean
  holes: boolean
  soft: boolean
  readonly colours: ColourCount
}

/** Counts distinct words, up to one more than `MAX_COUNTED_COLOURS`. */
interface ColourCount {
  /** Number of distinct words so far. */
  size: number
  /** Open hash table: a word at its hash or after it, -1 where it is free. At most a quarter is in use. */
  readonly slots: Float64Array
}

/** A word's product with 2^32 over the golden ratio: its upper 10 bits are the hash for 1024 slots (Knuth, multiplicative hashing). */
const openColourCount = (): ColourCount => ({ size: 0, slots: new Float64Array(1024).fill(-1) })

/** A `Set` takes six times as long, which shows on photographs in grey. */
const countColour = (count: ColourCount, word: number): void => {
  const { slots } = count
  let slot = Math.imul(word, 0x9e3779b1) >>> 22
  while (slots[slot] !== word) {
    if (slots[slot] === -1) {
      slots[slot] = word
      count.size++
      return
    }
    slot = (slot + 1) % slots.length
  }
}

/** Pixels above which flatness is sampled. */
const LARGE_PX = 4e6
/** One of this number of bands is sampled. */
const SAMPLED_BANDS = 8

/**
 * Surveys pixels for the choice of formats. On large images, flatness is sampled once the other facts are settled. Flatness of RGB
 * and the share on planes are computed on first access, so the pixels must not change before.
 */
export const survey = (pixels: Raster): PixelFacts => {
  const { width } = turnColumn(pixels)
  const found: Findings = { repeats: 0, rows: 0, grey: true, holes: false, soft: false, colours: openColourCount() }
  const rest = surveyUntilSettled(bandsOf(pixels), found)
  const flatness = lazily(() => {
    for (const band of rest) countRepeats(band, found)
    return width === 1 ? 1 : found.repeats / ((width - 1) * found.rows)
  })
  const planes = lazily(() => shareOnPlanes(pixels))
  return {
    opaque: !found.holes && !found.soft,
    binaryAlpha: !found.soft,
    grey: found.grey,
    colours: found.colours.size,
    get flatness() {
      return flatness()
    },
    get planes() {
      return planes()
    },
  }
}

/** Collects facts from bands until they are settled. Returns the RGB bands in which only repeats remain to be counted. */
const surveyUntilSettled = (bands: readonly Raster[], found: Findings): Raster[] => {
  const isLarge = bands.reduce((sum, { width, height }) => sum + width * height, 0) > LARGE_PX
  const isLeftOut = (number: number): boolean => isLarge && number % SAMPLED_BANDS > 0
  for (const [number, band] of bands.entries()) {
    const settled = isSettled(found, band)
    if (settled && band.channels === 3) return bands.filter((_, other) => other >= number && !isLeftOut(other))
    if (!settled || !isLeftOut(number)) lookAt(band, found)
  }
  return []
}

/** Whether further pixels can change only flatness. */
const isSettled = ({ grey, colours, holes, soft }: Findings, { channels }: Raster): boolean =>
  !grey && colours.size > MAX_COUNTED_COLOURS && (channels === 3 || (holes && soft))

/** Treats a single column as a row, since repeats are counted along rows. */
const turnColumn = ({ width, height }: Raster) => (width === 1 ? { width: height, height: 1 } : { width, height })

const bandsOf = (pixels: Raster): Raster[] => {
  const { width, height } = turnColumn(pixels)
  const rows = Math.max(1, Math.floor(BAND_PX / width))
  return Array.from({ length: Math.ceil(height / rows) }, (_, number) => {
    const [top, bottom] = [number * rows, Math.min(height, (number + 1) * rows)]
    return { ...pixels, width, height: bottom - top, data: rowsOf(pixels, width, top, bottom) }
  })
}

const rowsOf = ({ data, channels }: Raster, width: number, top: number, bottom: number): Uint8Array =>
  data.subarray(top * width * channels, bottom * width * channels)

/** Counts RGB pixels that equal their left neighbour. */
const countRepeats = (band: Raster, found: Findings): void => {
  found.repeats += isWordwise(band) ? repeatsInWords(band) : repeatsInBytes(band)
  found.rows += band.height
}

/** Rows that are looked at for planes. */
const PLANE_ROWS = 64

/** The share of pixels that their left, upper and upper left neighbours predict within one sample value, in a sample of rows. */
const shareOnPlanes = ({ data, width, height, channels }: Raster): number => {
  const stride = width * channels
  const step = Math.ceil(height / PLANE_ROWS)
  let predicted = 0
  let seen = 0
  for (let row = 1; row < height; row += step) {
    for (let at = row * stride + channels; at < (row + 1) * stride; at += channels) {
      let difference = 0
      for (let value = at; value < at + channels; value++) {
        const above = value - stride
        const error = Math.abs(data[value]! - data[value - channels]! - data[above]! + data[above - channels]!)
        if (error > difference) difference = error
      }
      if (difference <= 1) predicted++
      seen++
    }
  }
  return seen === 0 ? 0 : predicted / seen
}

const IS_LITTLE_ENDIAN = new Uint8Array(Uint32Array.of(1).buffer)[0] === 1

/** Whether rows consist of whole, aligned 32-bit words. */
const isWordwise = ({ data, width }: Raster): boolean =>
  IS_LITTLE_ENDIAN && width % 4 === 0 && data.byteOffset % 4 === 0

// Branch-free, since noise defeats branch prediction: 0 minus 1 has the highest bit set, and no other tested value has.

const repeatsInBytes = ({ data, width, height }: Raster): number => {
  let repeats = 0
  for (let row = 0; row < height; row++) {
    const first = row * width * 3
    const last = first + width * 3
    let [red, green, blue] = [data[first]!, data[first + 1]!, data[first + 2]!]
    for (let at = first + 3; at < last; at += 3) {
      const [r, g, b] = [data[at]!, data[at + 1]!, data[at + 2]!]
      repeats += (((r ^ red) | (g ^ green) | (b ^ blue)) - 1) >>> 31
      red = r
      green = g
      blue = b
    }
  }
  return repeats
}

/** The same for four pixels in three words at a time. Each word is compared with the one that starts three bytes earlier. */
const repeatsInWords = ({ data, width, height }: Raster): number => {
  const stride = (width * 3) / 4
  const words = new Uint32Array(data.buffer, data.byteOffset, stride * height)
  let repeats = 0
  for (let first = 0; first < words.length; first += stride) {
    // The first pixel of a row repeats none.
    let before = ~words[first]! << 8
    for (let at = first; at < first + stride; at += 3) {
      const [one, two, three] = [words[at]!, words[at + 1]!, words[at + 2]!]
      const a = one ^ ((before >>> 8) | (one << 24))
      const b = two ^ ((one >>> 8) | (two << 24))
      const c = three ^ ((two >>> 8) | (three << 24))
      repeats += (((a & 0xffffff) - 1) >>> 31) + ((((a >>> 24) | (b & 0xffff)) - 1) >>> 31)
      repeats += ((((b >>> 16) | (c & 0xff)) - 1) >>> 31) + (((c >>> 8) - 1) >>> 31)
      before = three
    }
  }
  return repeats
}

const lookAt = (band: Raster, found: Findings): void => {
  const words = wordsOf(band)
  const { width, height } = band
  found.rows += height
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
  // All fully transparent pixels count as one colour.
  if (found.colours.size <= MAX_COUNTED_COLOURS) countColour(found.colours, alpha === 0 ? 0 : word)
}
