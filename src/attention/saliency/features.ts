import type { View } from '../view.ts'
import { barrierDistance } from './barrier.ts'
import { borderDistance } from './border.ts'
import { blur, GRID, normalise, type Plane, planeOf } from './grid.ts'
import { type LabImage, toLab } from './lab.ts'

/** Measures of how much a cell stands out, and the squared distances from the middle of the sides, -1..1. */
export type SaliencyFeature = 'barrier' | 'border' | 'edges' | 'chroma' | 'skin' | 'xx' | 'yy'

/** A plane for each feature of a view of the grid's size, 0..1. */
export const computeFeatures = (view: View): Readonly<Record<SaliencyFeature, Plane>> => {
  const lab = toLab(view)
  const barriers = lab.map((plane) => barrierDistance(blur(plane, 0.6)))
  return {
    barrier: normalise(planeOf((at) => barriers.reduce((sum, plane) => sum + plane[at]!, 0))),
    border: normalise(borderDistance(lab)),
    edges: normalise(blur(edges(lab), 2)),
    chroma: normalise(planeOf((at) => Math.sqrt(lab[1][at]! ** 2 + lab[2][at]! ** 2))),
    skin: skin(view, lab),
    xx: planeOf((at) => fromMiddle(at % GRID) ** 2),
    yy: planeOf((at) => fromMiddle(Math.floor(at / GRID)) ** 2),
  }
}

const fromMiddle = (index: number): number => ((index + 0.5) / GRID) * 2 - 1

const edges = (lab: LabImage): Plane =>
  planeOf((at) => {
    const [x, y] = [at % GRID, Math.floor(at / GRID)]
    if (x === 0 || y === 0 || x === GRID - 1 || y === GRID - 1) return 0
    return slope(lab[0], at) + slope(lab[1], at) + slope(lab[2], at)
  })

const slope = (plane: Plane, at: number): number =>
  Math.sqrt((plane[at + 1]! - plane[at - 1]!) ** 2 + (plane[at + GRID]! - plane[at - GRID]!) ** 2)

/** Nearness to the hue of skin at any lightness (after smartcrop.js). */
const SKIN = [0.78, 0.57, 0.44] as const
/** Smallest nearness that counts as skin (smartcrop.js). */
const MIN_SKIN = 0.8

const skin = ({ data }: View, [lightness]: LabImage): Plane =>
  planeOf((at) => {
    const red = data[3 * at]!
    const green = data[3 * at + 1]!
    const blue = data[3 * at + 2]!
    const length = Math.sqrt(red * red + green * green + blue * blue) || 1
    const off = (red / length - SKIN[0]) ** 2 + (green / length - SKIN[1]) ** 2 + (blue / length - SKIN[2]) ** 2
    const near = 1 - Math.sqrt(off)
    const plausible = near > MIN_SKIN && lightness[at]! > 20 && lightness[at]! < 95
    return plausible ? (near - MIN_SKIN) / (1 - MIN_SKIN) : 0
  })
