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

/** Connected pixels of even colour that might be a glyph, in px of the view. */
export interface ConnectedComponent {
  readonly left: number
  readonly top: number
  readonly right: number
  readonly bottom: number
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
  return boxesOf(runs)
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
  readonly width: number
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
  return { count: run + 1, of, first, root, width }
}

/** Whether two pixels, with samples at `p` and `q`, are similar enough for one component. */
const isAlike = (data: Uint8Array, p: number, q: number): boolean =>
  Math.abs(data[p]! - data[q]!) <= MAX_DIFFERENCE &&
  Math.abs(data[p + 1]! - data[q + 1]!) <= MAX_DIFFERENCE &&
  Math.abs(data[p + 2]! - data[q + 2]!) <= MAX_DIFFERENCE

/** Difference of two pixels in the channel that differs most. */
const difference = (data: Uint8Array, a: number, b: number): number => {
  const p = 3 * a
  const q = 3 * b
  const red = Math.abs(data[p]! - data[q]!)
  const green = Math.abs(data[p + 1]! - data[q + 1]!)
  const blue = Math.abs(data[p + 2]! - data[q + 2]!)
  return red > green ? Math.max(red, blue) : Math.max(green, blue)
}

/** Bounds of a component. Its pixels are those in the bounds whose runs have this root. */
interface Outline {
  readonly root: number
  left: number
  readonly top: number
  right: number
  bottom: number
  readonly area: number
}

/** Smallest number of pixels of a glyph. */
const MIN_GLYPH_PIXELS = 2 * MIN_GLYPH_HEIGHT_PX

/** Bounds of the components with enough pixels for a glyph; most have one or two, from noise. */
const boxesOf = ({ count, first, root, width }: Runs): Outline[] => {
  const areas = new Int32Array(count)
  for (let run = 0; run < count; run++) areas[root[run]!]! += first[run + 1]! - first[run]!
  const index = new Int32Array(count)
  const boxes: Outline[] = []
  for (let run = 0; run < count; run++) {
    const area = areas[root[run]!]!
    if (area < MIN_GLYPH_PIXELS) continue
    const left = first[run]! % width
    const right = left + first[run + 1]! - first[run]!
    const top = (first[run]! - left) / width
    // The root is a component's first run, so it comes first.
    if (root[run] === run) index[run] = boxes.push({ root: run, left, top, right, bottom: top, area }) - 1
    const box = boxes[index[root[run]!]!]!
    if (left < box.left) box.left = left
    if (right > box.right) box.right = right
    box.bottom = top + 1
  }
  return boxes
}

const hasGlyphSize = ({ left, top, right, bottom, area }: Outline, viewHeight: number): boolean => {
  const [width, height] = [right - left, bottom - top]
  return (
    height >= MIN_GLYPH_HEIGHT_PX &&
    height <= MAX_GLYPH_SHARE * viewHeight &&
    width <= 2.5 * height &&
    width >= 0.08 * height &&
    area >= Math.max(MIN_GLYPH_PIXELS, 0.12 * width * height)
  )
}

const measure = (view: View, runs: Runs, { root, left, top, right, bottom, area }: Outline): ConnectedComponent => {
  const colour: [number, number, number] = [0, 0, 0]
  const rim: Rim = { view, runs, root, length: 0, steps: 0, count: 0 }
  for (let y = top; y < bottom; y++) {
    for (let x = left; x < right; x++) {
      const at = y * view.width + x
      if (!isOf(rim, at)) continue
      for (let c = 0; c < 3; c++) colour[c]! += view.data[3 * at + c]! / area
      lookBeside(rim, at, -1, x)
      lookBeside(rim, at, 1, view.width - 1 - x)
      lookBeside(rim, at, -view.width, y)
      lookBeside(rim, at, view.width, view.height - 1 - y)
    }
  }
  const contrast = rim.steps / Math.max(1, rim.count)
  return { left, top, right, bottom, area, stroke: (2 * area) / rim.length, colour, contrast }
}

/** The rim of a component: its length, and the sum and number of differences to the surroundings. */
interface Rim {
  readonly view: View
  readonly runs: Runs
  readonly root: number
  length: number
  steps: number
  count: number
}

const isOf = ({ runs, root }: Rim, pixel: number): boolean => runs.root[runs.of[pixel]!] === root

/** Adds one pixel side to the rim if the component ends there. `more` pixels follow in that direction, `step` apart. */
const lookBeside = (rim: Rim, at: number, step: number, more: number): void => {
  if (more >= 1 && isOf(rim, at + step)) return
  rim.length += 1
  if (more < BESIDE || isOf(rim, at + BESIDE * step)) return
  rim.steps += difference(rim.view.data, at, at + BESIDE * step)
  rim.count += 1
}

/** Smallest contrast of a glyph with its surroundings. */
const MIN_CONTRAST = 40

const hasGlyphStrokes = ({ top, bottom, stroke, contrast }: ConnectedComponent): boolean =>
  stroke / (bottom - top) <= 0.6 && contrast >= MIN_CONTRAST
