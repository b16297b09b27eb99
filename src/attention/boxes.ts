import type { Region } from './view.ts'

/** A region that something was found in, and how sure that is, 0..1. */
export interface Found extends Region {
  readonly score: number
}

const sharedBy = (a: Region, b: Region): number => {
  const width = Math.min(a.x + a.width, b.x + b.width) - Math.max(a.x, b.x)
  const height = Math.min(a.y + a.height, b.y + b.height) - Math.max(a.y, b.y)
  return width <= 0 || height <= 0 ? 0 : width * height
}

const areaOf = ({ width, height }: Region): number => width * height

/** Area that two regions share, over the area that either covers. */
const overlapOf = (a: Region, b: Region): number => {
  const shared = sharedBy(a, b)
  return shared === 0 ? 0 : shared / (areaOf(a) + areaOf(b) - shared)
}

/** Area that two regions share, over that of the smaller one. */
export const containmentOf = (a: Region, b: Region): number => {
  const shared = sharedBy(a, b)
  return shared === 0 ? 0 : shared / Math.min(areaOf(a), areaOf(b))
}

/** Rounds in which an average box looks anew for the boxes that it is the average of. */
const ROUNDS = 2
/** Overlaps, around that from which on boxes are one, between which a box counts ever less as another thing. */
const APART = -0.15
const ONE = 0.05

/**
 * Weighted box fusion (Solovyev et al. 2021) with soft suppression (Bodla et al. 2017): of regions that overlap by more
 * than `least` the average, weighted by the squared scores, with the largest score. Others lose of their scores the more
 * the further they overlap with it; what falls below `faintest` is left out. Surest first. Unlike the surest region alone,
 * the average hardly changes when two of them change places, as they do between copies of a picture.
 */
export const fuse = <T extends Found>(found: readonly T[], least: number, faintest = 0): T[] => {
  let rest = [...found].sort((a, b) => b.score - a.score)
  const fused: T[] = []
  for (let surest = rest[0]; surest !== undefined; surest = rest[0]) {
    const first = surest
    let box: Region = first
    for (let round = 0; round < ROUNDS; round++) box = averageOf(rest.filter(overlaps(box, least)), box)
    const isOther = (one: Region): number => 1 - clamp((overlapOf(one, box) - least - APART) / (ONE - APART))
    rest = rest
      .filter((one) => one !== first)
      .map((one) => ({ ...one, score: one.score * isOther(one) }))
      .filter(({ score }) => score > faintest)
      .sort((a, b) => b.score - a.score)
    fused.push({ ...first, ...box })
  }
  return fused
}

const overlaps =
  (box: Region, least: number) =>
  (one: Region): boolean =>
    overlapOf(one, box) > least

/** The average of regions, weighted by their squared scores; `otherwise` where there are none. */
const averageOf = (regions: readonly Found[], otherwise: Region): Region => {
  let [sum, x, y, width, height] = [0, 0, 0, 0, 0]
  for (const region of regions) {
    const weight = region.score ** 2
    sum += weight
    x += weight * region.x
    y += weight * region.y
    width += weight * region.width
    height += weight * region.height
  }
  return sum === 0 ? otherwise : { x: x / sum, y: y / sum, width: width / sum, height: height / sum }
}

/** The part of a region inside the image. */
export const clip = <T extends Region>(region: T): T => {
  const x = clamp(region.x)
  const y = clamp(region.y)
  return { ...region, x, y, width: clamp(region.x + region.width) - x, height: clamp(region.y + region.height) - y }
}

const clamp = (value: number): number => Math.min(1, Math.max(0, value))
