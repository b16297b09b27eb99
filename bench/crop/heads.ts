import { existsSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { Box, Extent } from '../../src/core/image.ts'

/** A head with hair and hat: left, top, right, bottom as shares of the sides. */
export type Head = readonly [number, number, number, number]

const [, ...ROWS] = readFileSync(new URL('heads.tsv', import.meta.url), 'utf8')
  .trim()
  .split('\n')

/** Heads of people by the names of the pictures, labelled by eye to about 1 % of the side. */
const HEADS: ReadonlyMap<string, readonly Head[]> = new Map(
  ROWS.map((row) => {
    const [name = '', boxes = ''] = row.split('\t')
    return [name, boxes.split(' ').map((box) => box.split(',').map((side) => Number(side) / 100) as unknown as Head)]
  }),
)

export const headsIn = (file: string): readonly Head[] => HEADS.get(basename(file)) ?? []

/** Pictures of a folder whose heads are labelled. */
export const picturesWithHeads = (folder: string): string[] =>
  [...HEADS.keys()].map((name) => join(folder, name)).filter((file) => existsSync(file))

/** Effect of a window on those heads of a picture that it could hold one by one. */
export interface HeadsShown {
  /** Heads that are cut, or left out, though the window could hold all heads of the picture. */
  readonly cut: number
  readonly missed: number
  /** Those of pictures whose heads do not fit together. */
  readonly cutOfMany: number
  readonly leftOut: number
  readonly heads: number
}

/** Share of a head that may lie outside, which is how exact the labels are; and the share below which it is left out. */
const EXACT = 0.06
const LEAST = 0.1

/** Judges a window along the side on which it could lie elsewhere. */
export const judgeHeads = (heads: readonly Head[], window: Box, image: Extent): HeadsShown => {
  const across = window.width < 0.9999 * image.width
  const [from, to]: readonly [0 | 1, 2 | 3] = across ? [0, 2] : [1, 3]
  const start = across ? window.left / image.width : window.top / image.height
  const share = across ? window.width / image.width : window.height / image.height
  const lengthOf = (head: Head): number => head[to] - head[from]
  const single = heads.filter((head) => lengthOf(head) <= share)
  const keptOf = (head: Head): number =>
    (Math.min(head[to], start + share) - Math.max(head[from], start)) / lengthOf(head)
  const outside = single.filter((head) => keptOf(head) < LEAST).length
  const cut = single.filter((head) => keptOf(head) >= LEAST && keptOf(head) < 1 - EXACT).length
  const together = Math.max(...heads.map((head) => head[to])) - Math.min(...heads.map((head) => head[from])) <= share
  return {
    heads: single.length,
    cut: together ? cut : 0,
    missed: together ? outside : 0,
    cutOfMany: together ? 0 : cut,
    leftOut: together ? 0 : outside,
  }
}

/** Sums over windows, in a line. */
export const summariseHeads = (shown: readonly HeadsShown[]): string => {
  const sum = (key: keyof HeadsShown): number => shown.reduce((all, one) => all + one[key], 0)
  return `of ${sum('heads')} heads ${sum('cut')} cut and ${sum('missed')} left out where all would fit; where not all do ${sum('cutOfMany')} cut, ${sum('leftOut')} left out`
}
