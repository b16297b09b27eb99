import type { Histogram } from '../../../formats/palette/histogram.ts'
import { openPalettes, SIZES } from '../../../formats/palette/palettes.ts'
import { type CoderPalette, coderPaletteOf, MAX_COLOURS } from './palette.ts'

/** Palettes for all frames. */
export interface FramePalettes {
  /** That of all frames that have none of their own. */
  readonly shared: CoderPalette
  readonly of: (frame: number) => CoderPalette
}

const sharedBy = (shared: CoderPalette): FramePalettes => ({ shared, of: () => shared })

/** Each frame's own colours exactly; undefined where one has too many. */
const ownPalettes = ({ colours, entries }: Histogram, frames: number): FramePalettes | undefined => {
  const size = entries.length / frames
  const palettes: CoderPalette[] = []
  for (let frame = 0; frame < frames; frame += 1) {
    const counts = new Uint32Array(colours.length / 4)
    for (const entry of entries.subarray(frame * size, (frame + 1) * size)) counts[entry]! += 1
    const used = [...counts.keys()].filter((entry) => counts[entry]! > 0)
    if (used.filter((entry) => colours[entry * 4 + 3] !== 0).length > MAX_COLOURS) return undefined
    const table = Uint8Array.from(used.flatMap((entry) => [...colours.subarray(entry * 4, entry * 4 + 4)]))
    palettes.push(
      coderPaletteOf(
        table,
        used.map((entry) => counts[entry]!),
      ),
    )
  }
  return { shared: palettes[0]!, of: (frame) => palettes[frame]! }
}

/** Palettes in which every pixel keeps its colour; undefined where a frame has too many colours. */
export const exactPalettes = (histogram: Histogram, frames: number): FramePalettes | undefined => {
  const { colours, counts } = histogram
  const opaque = counts.filter((_, at) => colours[at * 4 + 3] !== 0).length
  return opaque <= MAX_COLOURS ? sharedBy(coderPaletteOf(colours, counts)) : ownPalettes(histogram, frames)
}

/** Fewer colours for all frames together: palettes of our quantiser, the largest first. */
export const sharedPalettes = (histogram: Histogram, sizes: readonly number[]): (() => FramePalettes)[] => {
  const fewer = sizes.filter((size) => size < histogram.counts.length)
  const { at: paletteAt } = openPalettes(histogram)
  return fewer.map((size) => () => {
    const { table, nearest } = paletteAt(SIZES.findLastIndex((one) => one <= size))
    const counts = new Uint32Array(table.length / 4)
    for (const [colour, entry] of nearest.entries()) counts[entry]! += histogram.counts[colour]!
    return sharedBy(coderPaletteOf(table, counts))
  })
}
