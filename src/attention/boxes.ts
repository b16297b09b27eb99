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

/** Regions that are looked at, the surest: crowds have some hundred, and what has more are patterns made to take time. */
const MOST = 2000

/** How regions are fused. */
export interface Fusing<T extends Found> {
  /** Overlap from which on regions are one. */
  readonly overlap: number
  /** Score below which nothing is told: what one look does not find counts as this in it. */
  readonly faintest: number
  /** What is averaged beside the box. */
  readonly averaged?: readonly (keyof T)[]
}

const SIDES = ['x', 'y', 'width', 'height'] as const

/**
 * Weighted box fusion (Solovyev et al. 2021) of what several looks at a picture find, with soft suppression (Bodla et al.
 * 2017): of regions that overlap the average, weighted by the squared scores, with the mean of each look's largest score.
 * Others lose of their scores the more the further they overlap with it. Surest first. Unlike the surest region alone, the
 * average hardly changes when two of them change places, as they do between copies of a picture.
 */
export const fuse = <T extends Found>(looks: readonly (readonly T[])[], fusing: Fusing<T>): T[] => {
  const { overlap, faintest, averaged = [] } = fusing
  const all = looks.flatMap((found, look) => found.map((one) => ({ one, look, score: one.score })))
  let rest = surestFirst(all).slice(0, MOST)
  const fused: T[] = []
  for (let surest = rest[0]; surest !== undefined; surest = rest[0]) {
    const first = surest
    let mean = first.one
    for (let round = 0; round < ROUNDS; round++)
      mean = averageOf(rest.filter(overlaps(mean, overlap)), [...SIDES, ...averaged], mean)
    const same = [first, ...rest.filter(overlaps(mean, overlap))]
    const isOther = ({ one }: Seen<T>): number => 1 - clamp((overlapOf(one, mean) - overlap - APART) / (ONE - APART))
    const others = rest.filter((seen) => seen !== first).map((seen) => ({ ...seen, score: seen.score * isOther(seen) }))
    rest = surestFirst(others.filter(({ score }) => score > faintest))
    fused.push({ ...mean, score: meanScore(same, looks.length, faintest) })
  }
  return surestFirst(fused)
}

/** A region, the look that found it, and how much it counts by now. */
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

/** The first of regions with the averages of some fields, weighted by their squared scores; `otherwise` where there are none. */
const averageOf = <T extends Found>(seen: readonly Seen<T>[], fields: readonly (keyof T)[], otherwise: T): T => {
  const total = seen.reduce((sum, { score }) => sum + score ** 2, 0)
  if (total === 0) return otherwise
  const mean = (field: keyof T): number =>
    seen.reduce((sum, { one, score }) => sum + score ** 2 * (one[field] as number), 0) / total
  return { ...otherwise, ...Object.fromEntries(fields.map((field) => [field, mean(field)])) }
}

/** A region as a mirror shows it. */
export const mirrorRegion = <T extends Region>(region: T): T => ({ ...region, x: 1 - region.x - region.width })

/** The part of a region inside the image. */
export const clip = <T extends Region>(region: T): T => {
  const x = clamp(region.x)
  const y = clamp(region.y)
  return { ...region, x, y, width: clamp(region.x + region.width) - x, height: clamp(region.y + region.height) - y }
}

const clamp = (value: number): number => Math.min(1, Math.max(0, value))
