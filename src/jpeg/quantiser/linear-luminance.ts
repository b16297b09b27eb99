import { allocate, floatsAt } from '../kernel.ts'
import type { Canvas } from './transformed-image.ts'

/** What to add to each block's DC, by component, so that its light is kept. */
export type Shifts = Float32Array[]

/** Room in the kernel's memory for what keeping the light takes: an attempt's light and its shifts. */
export type LightDesk = {
  /** By blocks of luma and of chroma: three floats each. */
  shown: number
  coarse: number
  /** By component, a float a block: shifts, and the change that is expected of luma's. */
  shifts: number[]
  moved: number
  coarseMoved: number
}

/** Opens the room that `shiftsFor` and `placeShifts` work in. */
export const openLightDesk = ({ kernel, frame }: Canvas): LightDesk => {
  const blocks = frame.components.map(({ wide, high }) => wide * high)
  const [luma, chroma = 0] = blocks as [number, number?]
  return {
    shown: allocate(kernel, luma * 12 + 16),
    coarse: allocate(kernel, chroma * 12 + 16),
    shifts: blocks.map((n) => allocate(kernel, n * 4)),
    moved: allocate(kernel, luma * 4),
    coarseMoved: allocate(kernel, chroma * 4 + 16),
  }
}

/** Copies shifts to where the kernel looks for them: places by component, or 0 where there are none. */
export const placeShifts = ({ kernel }: Canvas, desk: LightDesk, shifts: Shifts | undefined): number[] =>
  desk.shifts.map((at, c) => {
    const map = shifts?.[c]
    if (!map) return 0
    floatsAt(kernel, at, map.length).set(map)
    return at
  })

/**
 * A code value's light grows with its 2.4th power, so a block that loses its texture loses light too, and the eye (and the
 * metric, which averages light) sees it darken. From the light that an attempt showed (at `desk.shown`): the shifts that make up
 * for it in the next. `before` are those the attempt was made with; `parts` how much of the loss is made up for, by component.
 */
export const shiftsFor = (
  canvas: Canvas,
  desk: LightDesk,
  before: Shifts | undefined,
  parts: readonly number[],
): Shifts => {
  const { kernel, frame, light, dct } = canvas
  const { h, v } = frame.components[0]!
  const apart = h * v > 1
  placeShifts(canvas, desk, before)
  return frame.components.map(({ wide, high, steps }, c) => {
    const { means, slopes } = c === 0 ? light.luma : light.chroma
    const shown = c > 0 && apart ? desk.coarse : desk.shown
    const chromaMoved = apart ? desk.coarseMoved : desk.moved
    if (c === 1 && apart) {
      kernel.coarsen(desk.shown, 3, h, v, desk.coarse)
      kernel.coarsen(desk.moved, 1, h, v, desk.coarseMoved)
    }
    // biome-ignore format: one line a thought
    kernel.learnShifts(
      c, dct[c]!, steps![0]!, means, slopes, shown, c === 0 ? 0 : chromaMoved, parts[c]!, before !== undefined,
      desk.shifts[c]!, c === 0 ? desk.moved : 0,
    )
    return floatsAt(kernel, desk.shifts[c]!, wide * high).slice()
  })
}
