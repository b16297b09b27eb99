import type { View } from '../view.ts'
import { unite } from './union-find.ts'

/** Largest difference in any channel between neighbouring pixels of one component: above JPEG noise, below edges. */
const MAX_DIFFERENCE = 34
/** Largest height of a glyph as a share of the view's. */
const MAX_GLYPH_SHARE = 0.4
/** Smallest height of a glyph in px. */
const MIN_GLYPH_HEIGHT_PX = 7
/** Distance from a component's rim in px where its surroundings are sampled: beyond the softened edge. */
const BESIDE = 2

/** A rectangle in px of the view. */
export interface PixelBounds {
  readonly left: number
  readonly top: number
  readonly right: number
  readonly bottom: number
}

/** Connected pixels of even colour that might be a glyph. */
export interface ConnectedComponent extends PixelBounds {
  readonly area: number
  /** Mean stroke width: twice the area over the length of the outline. */
  readonly stroke: number
  readonly colour: readonly [number, number, number]
  /** Mean difference from the pixels around it, 0..255 in the channel that differs most. */
  readonly contrast: number
}

/** Components of even colour with the size and strokes of a glyph. */
export const findComponents = (view: View): ConnectedComponent[] => {
  const runs = findRuns(view)
  return boxesOf(runs, view.width)
    .filter((box) => hasGlyphSize(box, view.height))
    .map((box) => measure(view, runs, box))
    .filter(hasGlyphStrokes)
}

/** Runs of similar pixels in a row, which are joined to components. */
interface Runs {
  readonly count: number
  /** The run of each pixel. */
  readonly of: Int32Array
  /** The first pixel of each run, and the first run of its component. */
  readonly first: Int32Array
  readonly root: Int32Array
}

/** Finds runs, and joins those that touch similar ones in the row above by union-find. */
const findRuns = ({ data, width, height }: View): Runs => {
  const of = new Int32Array(width * height)
  const first = new Int32Array(width * height + 1)
  const root = new Int32Array(width * height)
  let run = -1
  for (let y = 0, at = 0; y < height; y++) {
    for (let x = 0; x < width; x++, at++) {
      if (x === 0 || !isAlike(data, 3 * at, 3 * at - 3)) {
        run += 1
        first[run] = at
        root[run] = run
      }
      of[at] = run
      if (y === 0) continue
      const above = of[at - width]!
      // Most pixels continue both runs, and need no search for roots.
      if (root[run] !== root[above] && isAlike(data, 3 * at, 3 * (at - width))) unite(root, run, above)
    }
  }
  first[run + 1] = of.length
  // A root comes before all of its runs.
  for (let at = 0; at <= run; at++) root[at] = root[root[at]!]!
  return { count: run + 1, of, first, root }
}

/** Whether two pixels, with samples at `p` and `q`, are similar enough for one component. */
const isAlike = (data: Uint8Array, p: number, q: number): boolean =>
  Math.abs(data[p]! - data[q]!) <= MAX_DIFFERENCE &&
  Math.abs(data[p + 1]! - data[q + 1]!) <= MAX_DIFFERENCE &&
  Math.abs(data[p + 2]! - data[q + 2]!) <= MAX_DIFFERENCE

/** Difference of two pixels, with samples at `p` and `q`, in the channel that differs most. */
const difference = (data: Uint8Array, p: number, q: number): number => {
  const red = Math.abs(data[p]! - data[q]!)
  const green = Math.abs(data[p + 1]! - data[q + 1]!)
  const blue = Math.abs(data[p + 2]! - data[q + 2]!)
  return Math.max(red, green, blue)
}

/** Bounds of a component. Its pixels are those in the bounds whose runs have this root. */
interface Outline extends PixelBounds {
  readonly root: number
  left: number
  right: number
  bottom: number
  readonly area: number
}

/** Bounds of the components with enough pixels for the smallest glyph, 2 px wide; most have one or two, from noise. */
const boxesOf = ({ count, first, root }: Runs, width: number): Outline[] => {
  const areas = new Int32Array(count)
  for (let run = 0; run < count; run++) areas[root[run]!]! += first[run + 1]! - first[run]!
  const boxes = new Map<number, Outline>()
  for (let run = 0; run < count; run++) {
    const area = areas[root[run]!]!
    if (area < 2 * MIN_GLYPH_HEIGHT_PX) continue
    const left = first[run]! % width
    const top = (first[run]! - left) / width
    // The root is a component's first run, so it comes first.
    if (root[run] === run) boxes.set(run, { root: run, left, top, right: left, bottom: top, area })
    const box = boxes.get(root[run]!)!
    box.left = Math.min(left, box.left)
    box.right = Math.max(left + first[run + 1]! - first[run]!, box.right)
    box.bottom = top + 1
  }
  return [...boxes.values()]
}

const hasGlyphSize = ({ left, top, right, bottom, area }: Outline, viewHeight: number): boolean => {
  const [width, height] = [right - left, bottom - top]
  return (
    height >= MIN_GLYPH_HEIGHT_PX &&
    height <= MAX_GLYPH_SHARE * viewHeight &&
    width <= 2.5 * height &&
    width >= 0.08 * height &&
    area >= 0.12 * width * height
  )
}

/** Steps to the neighbours of a pixel. */
const SIDES = [
  [-1, 0],
  [1, 0],
  [0, -1],
  [0, 1],
] as const

/** Colour, stroke and contrast of a component, from its pixels and those next to its rim. */
const measure = ({ data, width, height }: View, runs: Runs, outline: Outline): ConnectedComponent => {
  const { root, area, ...bounds } = outline
  const colour: [number, number, number] = [0, 0, 0]
  let [length, steps, count] = [0, 0, 0]
  const isInView = (x: number, y: number): boolean => x >= 0 && y >= 0 && x < width && y < height
  const isOf = (x: number, y: number): boolean => isInView(x, y) && runs.root[runs.of[y * width + x]!] === root
  const lookBeside = (x: number, y: number, right: number, down: number): void => {
    if (isOf(x + right, y + down)) return
    length += 1
    const [beyondX, beyondY] = [x + BESIDE * right, y + BESIDE * down]
    if (!isInView(beyondX, beyondY) || isOf(beyondX, beyondY)) return
    steps += difference(data, 3 * (y * width + x), 3 * (beyondY * width + beyondX))
    count += 1
  }
  for (let y = bounds.top; y < bounds.bottom; y++) {
    for (let x = bounds.left; x < bounds.right; x++) {
      if (!isOf(x, y)) continue
      for (let c = 0; c < 3; c++) colour[c]! += data[3 * (y * width + x) + c]! / area
      for (const [right, down] of SIDES) lookBeside(x, y, right, down)
    }
  }
  return { ...bounds, area, stroke: (2 * area) / length, colour, contrast: steps / Math.max(1, count) }
}

/** Smallest contrast of a glyph with its surroundings. */
const MIN_CONTRAST = 40

const hasGlyphStrokes = ({ top, bottom, stroke, contrast }: ConnectedComponent): boolean =>
  stroke / (bottom - top) <= 0.6 && contrast >= MIN_CONTRAST
