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
  const labels = label(view)
  return measure(view, labels).filter((component) => isGlyphLike(component, view.height))
}

/** Union-find over 4-neighbours: for each pixel the index of the first pixel of its component. */
const label = ({ data, width, height }: View): Int32Array => {
  const parent = new Int32Array(width * height).map((_, at) => at)
  const root = (at: number): number => {
    let up = at
    while (parent[up] !== up) up = parent[up] = parent[parent[up]!]!
    return up
  }
  const join = (a: number, b: number): void => {
    const [first, second] = [root(a), root(b)]
    if (first < second) parent[second] = first
    else parent[first] = second
  }
  for (let y = 0, at = 0; y < height; y++) {
    for (let x = 0; x < width; x++, at++) {
      if (x > 0 && difference(data, at, at - 1) <= SAME) join(at, at - 1)
      if (y > 0 && difference(data, at, at - width) <= SAME) join(at, at - width)
    }
  }
  for (let at = 0; at < parent.length; at++) parent[at] = root(at)
  return parent
}

/** Difference of two pixels in the channel that differs most. */
const difference = (data: Uint8Array, a: number, b: number): number =>
  Math.max(
    Math.abs(data[3 * a]! - data[3 * b]!),
    Math.abs(data[3 * a + 1]! - data[3 * b + 1]!),
    Math.abs(data[3 * a + 2]! - data[3 * b + 2]!),
  )

/** Columns of the table of sums that `measure` keeps. */
const COLUMNS = 11
const [LEFT, TOP, RIGHT, BOTTOM, AREA, OUTLINE, RED, GREEN, BLUE, STEPS, STEP_COUNT] = [
  0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10,
]

const measure = (view: View, labels: Int32Array): ConnectedComponent[] => {
  const rows = new Int32Array(labels.length).fill(-1)
  const sizes = new Int32Array(labels.length)
  for (const at of labels) sizes[at]!++
  let count = 0
  for (let at = 0; at < labels.length; at++) if (sizes[at]! >= LOWEST * 2) rows[at] = count++
  const sums = new Float64Array(count * COLUMNS)
  for (let row = 0; row < count; row++) sums.set([view.width, view.height, -1, -1], row * COLUMNS)
  for (let y = 0, at = 0; y < view.height; y++) {
    for (let x = 0; x < view.width; x++, at++) {
      const row = rows[labels[at]!]!
      if (row >= 0) addPixel({ view, labels, sums, base: row * COLUMNS }, x, y)
    }
  }
  return Array.from({ length: count }, (_, row) => summarise(sums.subarray(row * COLUMNS, (row + 1) * COLUMNS)))
}

interface Sums {
  readonly view: View
  readonly labels: Int32Array
  readonly sums: Float64Array
  readonly base: number
}

const addPixel = ({ view, labels, sums, base }: Sums, x: number, y: number): void => {
  const { data, width, height } = view
  const at = y * width + x
  sums[base + LEFT!] = Math.min(sums[base + LEFT!]!, x)
  sums[base + TOP!] = Math.min(sums[base + TOP!]!, y)
  sums[base + RIGHT!] = Math.max(sums[base + RIGHT!]!, x)
  sums[base + BOTTOM!] = Math.max(sums[base + BOTTOM!]!, y)
  sums[base + AREA!]! += 1
  for (let c = 0; c < 3; c++) sums[base + RED! + c]! += data[3 * at + c]!
  const look = (near: number, far: number, inside: boolean): void => {
    if (near >= 0 && labels[near] === labels[at]) return
    sums[base + OUTLINE!]! += 1
    if (!inside || labels[far] === labels[at]) return
    sums[base + STEPS!]! += difference(data, at, far)
    sums[base + STEP_COUNT!]! += 1
  }
  look(x > 0 ? at - 1 : -1, at - BESIDE, x >= BESIDE)
  look(x < width - 1 ? at + 1 : -1, at + BESIDE, x < width - BESIDE)
  look(y > 0 ? at - width : -1, at - BESIDE * width, y >= BESIDE)
  look(y < height - 1 ? at + width : -1, at + BESIDE * width, y < height - BESIDE)
}

const summarise = (row: Float64Array): ConnectedComponent => ({
  left: row[LEFT!]!,
  top: row[TOP!]!,
  right: row[RIGHT!]! + 1,
  bottom: row[BOTTOM!]! + 1,
  area: row[AREA!]!,
  stroke: (2 * row[AREA!]!) / row[OUTLINE!]!,
  colour: [row[RED!]! / row[AREA!]!, row[GREEN!]! / row[AREA!]!, row[BLUE!]! / row[AREA!]!],
  contrast: row[STEPS!]! / Math.max(1, row[STEP_COUNT!]!),
})

/** Least contrast of a glyph with what is around it. */
const CONTRAST = 40

const isGlyphLike = (
  { left, top, right, bottom, area, stroke, contrast }: ConnectedComponent,
  viewHeight: number,
): boolean => {
  const [width, height] = [right - left, bottom - top]
  const fill = area / (width * height)
  return (
    height >= LOWEST &&
    height <= TALLEST * viewHeight &&
    width <= 2.5 * height &&
    width >= 0.08 * height &&
    fill >= 0.12 &&
    stroke / height <= 0.6 &&
    contrast >= CONTRAST
  )
}
