import type { View } from '../view.ts'
import { barrierDistance } from './barrier.ts'
import { borderDistance } from './border.ts'
import { blur, GRID, meanOf, normalise, type Plane, planeOf } from './grid.ts'
import { distanceAt, type LabImage, toLab } from './lab.ts'
import { findRarity } from './rarity.ts'

/** Nine planes of 0..1, each a different measure of how much a cell stands out. The weights depend on their order. */
export const computeFeatures = (view: View): readonly Plane[] => {
  const lab = toLab(view)
  const barriers = lab.map((plane) => barrierDistance(blur(plane, 0.6)))
  const { contrast, compactness } = findRarity(lab)
  return [
    normalise(planeOf((at) => barriers.reduce((sum, plane) => sum + plane[at]!, 0))),
    normalise(borderDistance(lab)),
    ...contrasts(lab),
    normalise(blur(edges(lab), 2)),
    normalise(planeOf((at) => Math.sqrt(lab[1][at]! ** 2 + lab[2][at]! ** 2))),
    skin(view, lab),
    contrast,
    compactness,
  ]
}

/** Distance from the mean colour (frequency-tuned, Achanta et al. 2009), and from the surroundings at three scales. */
const contrasts = (lab: LabImage): readonly Plane[] => {
  const smooth = lab.map((plane) => blur(plane, 0.8)) as unknown as LabImage
  const mean = lab.map((plane) => new Float32Array(plane.length).fill(meanOf(plane))) as unknown as LabImage
  const around = [2, 5, 10].map((sigma) => lab.map((plane) => blur(plane, sigma)) as unknown as LabImage)
  const surround = planeOf((at) => around.reduce((sum, plane) => sum + distanceAt(smooth, plane, at), 0))
  return [normalise(planeOf((at) => distanceAt(smooth, mean, at))), normalise(blur(surround, 1.5))]
}

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
