import { divide, dividedPart, type Palette, seedRareColours, settlePalette } from './cluster.ts'
import type { Histogram } from './histogram.ts'

/** Palette sizes worth telling apart. */
export const SIZES = [
  2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 20, 24, 28, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256,
] as const

const LLOYD_ROUNDS = 6

/** The palettes of an image by place in SIZES, each made once and when it is asked for. */
export const openPalettes = (histogram: Histogram): ((place: number) => Palette) => {
  const parts = [...new Set(SIZES.flatMap((size) => [dividedPart(size), size]))].sort((a, b) => a - b)
  const groups = new Map<number, Uint16Array>()
  const dividing = divide(histogram, parts)
  for (const part of parts) groups.set(part, dividing.next().value!)
  const made = new Map<number, Palette>()
  return (place) => {
    const size = SIZES[place]!
    const seeded = (): Uint16Array | undefined => seedRareColours(histogram, groups.get(dividedPart(size))!, size)
    const palette = made.get(place) ?? settlePalette(histogram, seeded() ?? groups.get(size)!, LLOYD_ROUNDS)
    made.set(place, palette)
    return palette
  }
}
