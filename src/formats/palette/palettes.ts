import { divide, dividedPart, type Palette, seedRareColours, settlePalette } from './cluster.ts'
import type { ColourCounts } from './histogram.ts'

/** Palette sizes that are tried: from 20 on each is 6 to 10 % larger than the one before it. */
export const SIZES = [
  2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 22, 24, 26, 28, 30, 32, 34, 37, 40, 43, 46, 50,
  54, 58, 62, 67, 72, 78, 84, 90, 96, 104, 112, 120, 128, 138, 148, 160, 172, 184, 198, 212, 226, 240, 256,
] as const

/** Rounds of Lloyd's algorithm. Chosen, not measured. */
const LLOYD_ROUNDS = 6

/** The palettes of an image's colours. */
export interface Palettes {
  /** By place in SIZES, each made once and when it is asked for. */
  readonly at: (place: number) => Palette
}

/** Opens the palettes of an image's colours. The pixels' entries are not kept. */
export const openPalettes = ({ colours, counts }: ColourCounts): Palettes => {
  const histogram = { colours, counts }
  const groupsAt = divide(histogram, SIZES.at(-1)!)
  const settled = new Map<number, Palette>()
  const at = (place: number): Palette => {
    const size = SIZES[place]!
    const seeded = (): Uint16Array | undefined => seedRareColours(histogram, groupsAt(dividedPart(size)), size)
    const palette = settled.get(place) ?? settlePalette(histogram, seeded() ?? groupsAt(size), LLOYD_ROUNDS)
    settled.set(place, palette)
    return palette
  }
  return { at }
}
