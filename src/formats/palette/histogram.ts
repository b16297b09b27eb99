import type { Raster } from '../../core/image.ts'

/** The distinct colours of an image. */
export interface ColourCounts {
  /** RGBA, four bytes a colour; fully transparent ones are all zero. */
  readonly colours: Uint8Array
  /** Pixels of each colour. */
  readonly counts: Uint32Array
}

/** The same, and which of them each pixel has. */
export interface Histogram extends ColourCounts {
  /** For each pixel the number of its colour. */
  readonly entries: Uint16Array
}

/** More colours than this are counted more coarsely: clustering them all would take seconds and gain nothing. */
const MOST = 1 << 16
/** Slots of the hash table, twice what it may hold. */
const SLOTS = MOST * 2

/** Counts the colours of an image; beyond 65536 of them those that differ in the lowest bits alone count as one. */
export const countColours = (pixels: Raster): Histogram => {
  const entries = new Uint16Array(pixels.width * pixels.height)
  for (let dropped = 0; ; dropped += 1) {
    const histogram = count(pixels, dropped, entries)
    if (histogram !== undefined) return histogram
  }
}

/** Counts colours with `dropped` low bits cleared, and fills `entries`; undefined for more than MOST colours. */
const count = ({ data, channels }: Raster, dropped: number, entries: Uint16Array): Histogram | undefined => {
  const mask = (0xff << dropped) & 0xff
  const slots = new Int32Array(SLOTS).fill(-1)
  const words = new Uint32Array(MOST)
  const counts = new Uint32Array(MOST)
  const sums = new Float64Array(dropped === 0 ? 0 : MOST * 4)
  let found = 0
  let lastWord = -1
  let last = 0
  for (let pixel = 0, at = 0; pixel < entries.length; pixel += 1, at += channels) {
    const alpha = channels === 4 ? data[at + 3]! : 255
    const word =
      alpha === 0
        ? 0
        : ((data[at]! & mask) | ((data[at + 1]! & mask) << 8) | ((data[at + 2]! & mask) << 16) | (alpha << 24)) >>> 0
    if (word !== lastWord) {
      let slot = (Math.imul(word ^ (word >>> 15), 0x9e3779b1) >>> 8) % SLOTS
      while (slots[slot] !== -1 && words[slots[slot]!] !== word) slot = slot + 1 === SLOTS ? 0 : slot + 1
      if (slots[slot] === -1) {
        if (found === MOST) return undefined
        words[found] = word
        slots[slot] = found
        found += 1
      }
      last = slots[slot]!
      lastWord = word
    }
    counts[last]! += 1
    entries[pixel] = last
    if (dropped > 0 && alpha > 0) for (let c = 0; c < 3; c += 1) sums[last * 4 + c]! += data[at + c]!
  }
  const colours = new Uint8Array(words.slice(0, found).buffer)
  // Colours that count as one are shown by their mean.
  for (let at = 0; dropped > 0 && at < found; at += 1)
    for (let c = 0; c < 3; c += 1) colours[at * 4 + c] = Math.round(sums[at * 4 + c]! / counts[at]!)
  return { colours, counts: counts.slice(0, found), entries }
}
