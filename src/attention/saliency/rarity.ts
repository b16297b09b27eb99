import { blur, GRID, normalise, type Plane, planeOf } from './grid.ts'
import type { LabImage } from './lab.ts'

/** Colours within about this distance (L*a*b*) count as one for the spread of a colour. */
const ALIKE = 12
/** Squared distance beyond which a colour's share would be less than 1/8000. */
const FAR = 18 * ALIKE * ALIKE

/** Cells of one colour bin: their number, mean colour and sums of positions. */
interface Bin {
  count: number
  readonly colour: [number, number, number]
  x: number
  y: number
  xx: number
  yy: number
}

/** Rarity: colours that differ from most others (histogram contrast, Cheng et al. 2011), and colours in a small area. */
export const findRarity = (lab: LabImage): { readonly contrast: Plane; readonly compactness: Plane } => {
  const bins = new Map<number, Bin>()
  const keys = Int32Array.from({ length: GRID * GRID }, (_, at) => binOf(lab, at))
  for (const [at, key] of keys.entries()) addTo(bins, key, lab, at)
  for (const bin of bins.values()) for (let c = 0; c < 3; c++) bin.colour[c]! /= bin.count
  const all = [...bins.values()]
  const contrast = new Map([...bins].map(([key, bin]) => [key, contrastOf(bin, all)]))
  const spread = new Map([...bins].map(([key, bin]) => [key, spreadOf(bin, all)]))
  return {
    contrast: normalise(
      blur(
        planeOf((at) => contrast.get(keys[at]!)!),
        1,
      ),
    ),
    compactness: normalise(
      blur(
        planeOf((at) => -spread.get(keys[at]!)!),
        1,
      ),
    ),
  }
}

const clamp = (value: number, most: number): number => Math.min(most, Math.max(0, Math.trunc(value)))

const binOf = ([l, a, b]: LabImage, at: number): number =>
  clamp(l[at]! / 12.6, 7) * 1024 + clamp((a[at]! + 80) / 10, 31) * 32 + clamp((b[at]! + 80) / 10, 31)

const addTo = (bins: Map<number, Bin>, key: number, lab: LabImage, at: number): void => {
  const bin = bins.get(key) ?? { count: 0, colour: [0, 0, 0], x: 0, y: 0, xx: 0, yy: 0 }
  bins.set(key, bin)
  const [x, y] = [(at % GRID) / GRID, Math.floor(at / GRID) / GRID]
  bin.count += 1
  lab.forEach((plane, c) => {
    bin.colour[c]! += plane[at]!
  })
  bin.x += x
  bin.y += y
  bin.xx += x * x
  bin.yy += y * y
}

/** Squared distance of two colours. */
const apart = ({ colour: a }: Bin, { colour: b }: Bin): number =>
  (a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2 + (a[2] - b[2]) ** 2

const contrastOf = (bin: Bin, all: readonly Bin[]): number => {
  let sum = 0
  for (const other of all) sum += other.count * Math.sqrt(apart(bin, other))
  return sum / (GRID * GRID)
}

/** Variance of the positions of a colour and similar ones. */
const spreadOf = (bin: Bin, all: readonly Bin[]): number => {
  let [weight, x, y, xx, yy] = [0, 0, 0, 0, 0]
  for (const other of all) {
    const distance = apart(bin, other)
    if (distance > FAR) continue
    const share = Math.exp(-distance / (2 * ALIKE * ALIKE))
    weight += share * other.count
    x += share * other.x
    y += share * other.y
    xx += share * other.xx
    yy += share * other.yy
  }
  return xx / weight - (x / weight) ** 2 + yy / weight - (y / weight) ** 2
}
