import { GIF } from '../../../core/gif-numbers.ts'
import { AXES as PALETTE_AXES, toPoints } from '../../../formats/palette/cluster.ts'
import { COORDINATES } from './frame.ts'

/** Colours besides the symbol that leaves what is there. */
export const MAX_COLOURS = GIF.maxColours - 1
/** Scales of the two chromas relative to luma: less than in a palette, because the eye sees fine detail of colour badly, of blue worst. */
const CHROMAS = [0.6, 0.4] as const

/** Opaque colours that pixels may be given. */
export interface CoderPalette {
  /** RGBA, four bytes each, by rising luma. */
  readonly colours: Uint8Array
  /** Their points. */
  readonly points: Float32Array
}

/** RGBA colours as points of the coder's space. */
export const pointsOf = (colours: Uint8Array): Float32Array => {
  const all = toPoints(colours)
  const points = new Float32Array((all.length / PALETTE_AXES) * COORDINATES)
  for (let at = 0; at < points.length / COORDINATES; at += 1) {
    points[at * COORDINATES] = all[at * PALETTE_AXES]!
    points[at * COORDINATES + 1] = all[at * PALETTE_AXES + 1]! * CHROMAS[0]
    points[at * COORDINATES + 2] = all[at * PALETTE_AXES + 2]! * CHROMAS[1]
  }
  return points
}

/** The opaque colours, by rising luma. Of more than MAX_COLOURS, those with the most pixels. */
export const coderPaletteOf = (colours: Uint8Array, counts: ArrayLike<number>): CoderPalette => {
  const points = pointsOf(colours)
  const opaque = Array.from({ length: colours.length / 4 }, (_, at) => at).filter((at) => colours[at * 4 + 3] !== 0)
  const kept = opaque.sort((a, b) => counts[b]! - counts[a]!).slice(0, MAX_COLOURS)
  kept.sort((a, b) => points[a * COORDINATES]! - points[b * COORDINATES]!)
  const table = new Uint8Array(kept.length * 4)
  for (const [place, at] of kept.entries()) table.set(colours.subarray(at * 4, at * 4 + 4), place * 4)
  return { colours: table, points: pointsOf(table) }
}
