import type { Raster } from '../../core/image.ts'
import type { PlainFrame } from './write-gif.ts'

/** Colours of a frame besides the one that leaves what is there. */
const MOST_COLOURS = 255
const TRANSPARENT = 255
/** Shares of red, green and blue in what the eye sees of a difference, in 256ths. */
const [RED, GREEN, BLUE] = [77, 151, 28] as const

/** Square of the distance of two colours 0xRRGGBB, weighted as the eye does. */
const distance = (a: number, b: number): number => {
  const red = (a >> 16) - (b >> 16)
  const green = ((a >> 8) & 0xff) - ((b >> 8) & 0xff)
  const blue = (a & 0xff) - (b & 0xff)
  return (red * red * RED + green * green * GREEN + blue * blue * BLUE) / 256
}

/** Nothing was drawn here yet. */
const EMPTY = -1

/** Lays frames over what is shown already. */
export interface InterFrameTolerance {
  /** The next frame; undefined when it cannot lie over what is shown, since it makes pixels transparent again. */
  readonly next: (frame: Raster, delay: number) => PlainFrame | undefined
  /** How many pixels keep another colour than their frame's, so far. */
  readonly kept: () => number
}

/**
 * Makes frames that change no pixel whose colour is within `tolerance` (0..255, of the distance above) of what is shown
 * already: noise of recordings and dithering stands still, which costs nothing to store. What is shown is always
 * compared with the frame itself, so errors never add up. Frames come in order, each of so many `pixels`.
 */
export const openInterFrameTolerance = (pixels: number, tolerance: number): InterFrameTolerance => {
  const shown = new Int32Array(pixels).fill(EMPTY)
  const most = tolerance * tolerance
  let kept = 0
  const next: InterFrameTolerance['next'] = ({ data }, delay) => {
    const numbers = new Map<number, number>()
    const palette: number[] = []
    const indices = new Uint8Array(pixels).fill(TRANSPARENT)
    const numberOf = (colour: number): number => {
      const known = numbers.get(colour)
      if (known !== undefined) return known
      const number = palette.length < MOST_COLOURS ? palette.push(colour) - 1 : nearest(palette, colour)
      numbers.set(colour, number)
      return number
    }
    for (let i = 0, at = 0; i < pixels; i++, at += 4) {
      const before = shown[i]!
      if (data[at + 3] === 0) {
        if (before === EMPTY) continue
        return undefined
      }
      const colour = (data[at]! << 16) | (data[at + 1]! << 8) | data[at + 2]!
      if (before === colour) continue
      if (before !== EMPTY && distance(before, colour) <= most) {
        kept += 1
        continue
      }
      const number = numberOf(colour)
      indices[i] = number
      shown[i] = palette[number]!
    }
    return { indices, palette, transparent: TRANSPARENT, delay }
  }
  return { next, kept: () => kept }
}

const nearest = (palette: readonly number[], colour: number): number => {
  let best = 0
  for (const [number, other] of palette.entries()) {
    if (distance(other, colour) < distance(palette[best]!, colour)) best = number
  }
  return best
}
