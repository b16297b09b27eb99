import type { View } from '../view.ts'

/** Largest difference of neighbouring pixels, in any channel, within one component: above JPEG's noise, below the steps of an edge. */
const SAME = 34
/** Share of the view's height that a glyph may have; and the least, in px. */
const TALLEST = 0.4
const LOWEST = 7
/** px away from a component's rim where its surroundings are looked at: beyond the softened edge. */
const BESIDE = 2

/** Connected pixels of even colour that might be a glyph, in px of the view. */
export interface ConnectedComponent {
  readonly left: number
  readonly top: number
  readonly right: number
  readonly bottom: number
  readonly area: number
  /** Mean width of its strokes: twice the area over the length of the outline. */
  readonly stroke: number
  readonly colour: readonly [number, number, number]
  /** Mean difference, 0..255 in the channel that differs most, from the pixels around it. */
  readonly contrast: number
}

/** Components of even colour whose size and strokes a glyph could have. */
export const findComponents = (view: View): ConnectedComponent[] => {
  const runs = findRuns(view)
  return boxesOf(runs)
    .filter((box) => hasGlyphSize(box, view.height))
    .map((box) => measure(view, runs, box))
    .filter(hasGlyphStrokes)
}

/** Pixels in a row that each resemble the one before: what components are joined of. */
interface Runs {
  readonly count: number
  /** For each pixel the index of its run. */
  readonly of: Int32Array
  /** For each run its first pixel, and the first run of its component. */
  readonly first: Int32Array
  readonly root: Int32Array
  readonly width: number
}

/** Runs, and by union-find which of them touch one that they resemble in the row above. */
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
      // Most pixels go on as their row and the one above do, and need neither a look nor a search for their roots.
      if (root[run] !== root[above] && isAlike(data, 3 * at, 3 * (at - width))) join(root, run, above)
    }
  }
  first[run + 1] = of.length
  // A root comes before all of its runs.
  for (let at = 0; at <= run; at++) root[at] = root[root[at]!]!
  return { count: run + 1, of, first, root, width }
}

const rootOf = (parent: Int32Array, at: number): number => {
  let up = at
  while (parent[up] !== up) {
    const next = parent[parent[up]!]!
    parent[up] = next
    up = next
  }
  return up
}

const join = (parent: Int32Array, a: number, b: number): void => {
  const first = rootOf(parent, a)
  const second = rootOf(parent, b)
  parent[Math.max(first, second)] = Math.min(first, second)
  // The run itself points at the root, so that its other pixels find it at once.
  parent[a] = Math.min(first, second)
}

/** Whether two pixels, whose samples begin at `p` and `q`, differ by no more than those of one component. */
const isAlike = (data: Uint8Array, p: number, q: number): boolean =>
  Math.abs(data[p]! - data[q]!) <= SAME &&
  Math.abs(data[p + 1]! - data[q + 1]!) <= SAME &&
  Math.abs(data[p + 2]! - data[q + 2]!) <= SAME

/** Difference of two pixels in the channel that differs most. */
const difference = (data: Uint8Array, a: number, b: number): number => {
  const p = 3 * a
  const q = 3 * b
  const red = Math.abs(data[p]! - data[q]!)
  const green = Math.abs(data[p + 1]! - data[q + 1]!)
  const blue = Math.abs(data[p + 2]! - data[q + 2]!)
  return red > green ? Math.max(red, blue) : Math.max(green, blue)
}

/** Where a component lies: its pixels are those of the box whose runs have this root. */
interface Outline {
  readonly root: number
  left: number
  readonly top: number
  right: number
  bottom: number
  readonly area: number
}

/** Fewest pixels of a glyph. */
const FEWEST_PIXELS = 2 * LOWEST

/** Boxes of the components that have enough pixels for a glyph: most have one or two, of noise. */
const boxesOf = ({ count, first, root, width }: Runs): Outline[] => {
  const areas = new Int32Array(count)
  for (let run = 0; run < count; run++) areas[root[run]!]! += first[run + 1]! - first[run]!
  const index = new Int32Array(count)
  const boxes: Outline[] = []
  for (let run = 0; run < count; run++) {
    const area = areas[root[run]!]!
    if (area < FEWEST_PIXELS) continue
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
    height >= LOWEST &&
    height <= TALLEST * viewHeight &&
    width <= 2.5 * height &&
    width >= 0.08 * height &&
    area >= Math.max(FEWEST_PIXELS, 0.12 * width * height)
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

/** The rim of the component with a root: the length of its outline, and the steps from there to what lies around, and how many. */
interface Rim {
  readonly view: View
  readonly runs: Runs
  readonly root: number
  length: number
  steps: number
  count: number
}

const isOf = ({ runs, root }: Rim, pixel: number): boolean => runs.root[runs.of[pixel]!] === root

/** Where a component ends in a direction, in which the view has so many pixels more, `step` apart: counts its outline, and the step to what lies beyond the softened edge. */
const lookBeside = (rim: Rim, at: number, step: number, more: number): void => {
  if (more >= 1 && isOf(rim, at + step)) return
  rim.length += 1
  if (more < BESIDE || isOf(rim, at + BESIDE * step)) return
  rim.steps += difference(rim.view.data, at, at + BESIDE * step)
  rim.count += 1
}

/** Least contrast of a glyph with what is around it. */
const CONTRAST = 40

const hasGlyphStrokes = ({ top, bottom, stroke, contrast }: ConnectedComponent): boolean =>
  stroke / (bottom - top) <= 0.6 && contrast >= CONTRAST
