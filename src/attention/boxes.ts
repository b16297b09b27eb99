import { clamp } from '../search/curve.ts'
import type { Region } from './view.ts'

/** A detected region with its score, 0..1. */
export interface Found extends Region {
  readonly score: number
}

const sharedBy = (a: Region, b: Region): number => {
  const width = Math.min(a.x + a.width, b.x + b.width) - Math.max(a.x, b.x)
  const height = Math.min(a.y + a.height, b.y + b.height) - Math.max(a.y, b.y)
  return width <= 0 || height <= 0 ? 0 : width * height
}

/** The area as a share of the image's. */
export const areaOf = ({ width, height }: Region): number => width * height

/** Intersection over union. */
const overlapOf = (a: Region, b: Region): number => {
  const shared = sharedBy(a, b)
  return shared === 0 ? 0 : shared / (areaOf(a) + areaOf(b) - shared)
}

/** The intersection over the smaller area. */
export const containmentOf = (a: Region, b: Region): number => {
  const shared = sharedBy(a, b)
  return shared === 0 ? 0 : shared / Math.min(areaOf(a), areaOf(b))
}

/** Iterations in which the average box selects its boxes again. */
const ROUNDS = 2
/** Range of the overlap, relative to the bound, in which a box is suppressed gradually. */
const SUPPRESSED = { from: -0.15, wholly: 0.05 } as const

/** Bounds the time of crafted patterns; crowds have some hundred regions. */
const MAX_REGIONS = 2000

/** Parameters of the fusion. */
export interface Fusing<T extends Found> {
  /** Regions with this overlap or more are fused. */
  readonly overlap: number
  /** Regions below this score are dropped. A look without the region counts with this score. */
  readonly faintest: number
  /** Further fields that are averaged. */
  readonly averaged?: readonly (keyof T)[]
}

const SIDES = ['x', 'y', 'width', 'height'] as const

/**
 * Weighted box fusion (Solovyev et al. 2021) of the regions from several looks at a picture, with soft suppression
 * (Bodla et al. 2017). Regions that overlap are averaged, weighted by their squared scores. The score is the mean of each
 * look's largest. Other regions lose score with their overlap. Sorted by score. The average hardly changes when two
 * regions swap ranks, as they do between copies of a picture.
 */
export const fuse = <T extends Found>(looks: readonly (readonly T[])[], fusing: Fusing<T>): T[] => {
  const { overlap, faintest, averaged = [] } = fusing
  const all = looks.flatMap((found, look) => found.map((one) => ({ one, look, score: one.score })))
  let rest = surestFirst(all).slice(0, MAX_REGIONS)
  const fused: T[] = []
  for (let surest = rest[0]; surest !== undefined; surest = rest[0]) {
    const first = surest
    let mean = first.one
    for (let round = 0; round < ROUNDS; round++)
      mean = averageOf(rest.filter(overlaps(mean, overlap)), [...SIDES, ...averaged], mean)
    const same = [first, ...rest.filter(overlaps(mean, overlap))]
    const isOther = ({ one }: Seen<T>): number =>
      1 - clamp((overlapOf(one, mean) - overlap - SUPPRESSED.from) / (SUPPRESSED.wholly - SUPPRESSED.from), 0, 1)
    const others = rest.filter((seen) => seen !== first).map((seen) => ({ ...seen, score: seen.score * isOther(seen) }))
    rest = surestFirst(others.filter(({ score }) => score > faintest))
    fused.push({ ...mean, score: meanScore(same, looks.length, faintest) })
  }
  return surestFirst(fused)
}

/** A region, the look that it is from, and its present score. */
interface Seen<T extends Found> {
  readonly one: T
  readonly look: number
  readonly score: number
}

const surestFirst = <T extends { readonly score: number }>(found: readonly T[]): T[] =>
  [...found].sort((a, b) => b.score - a.score)

const overlaps =
  (box: Region, least: number) =>
  ({ one }: Seen<Found>): boolean =>
    overlapOf(one, box) > least

const meanScore = (seen: readonly Seen<Found>[], looks: number, faintest: number): number => {
  const best = new Array<number>(looks).fill(faintest)
  for (const { look, score } of seen) best[look] = Math.max(best[look]!, score)
  return best.reduce((sum, score) => sum + score, 0) / looks
}

/** The first region with some fields averaged by squared score; `otherwise` without regions. */
const averageOf = <T extends Found>(seen: readonly Seen<T>[], fields: readonly (keyof T)[], otherwise: T): T => {
  const total = seen.reduce((sum, { score }) => sum + score ** 2, 0)
  if (total === 0) return otherwise
  const mean = (field: keyof T): number =>
    seen.reduce((sum, { one, score }) => sum + score ** 2 * (one[field] as number), 0) / total
  return { ...otherwise, ...Object.fromEntries(fields.map((field) => [field, mean(field)])) }
}

/** The region in the mirror image. */
export const mirrorRegion = <T extends Region>(region: T): T => ({ ...region, x: 1 - region.x - region.width })

/** The part of a region inside the image. */
export const clip = <T extends Region>(region: T): T => {
  const [x, right] = [clamp(region.x, 0, 1), clamp(region.x + region.width, 0, 1)]
  const [y, bottom] = [clamp(region.y, 0, 1), clamp(region.y + region.height, 0, 1)]
  return { ...region, x, y, width: right - x, height: bottom - y }
}
