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
  return boxesOf(view, labels)
    .filter((box) => hasGlyphSize(box, view.height))
    .map((box) => measure(view, labels, box))
    .filter(hasGlyphStrokes)
}

/** For each pixel the index of the first pixel of its component: union-find over neighbours at the left and above. */
const label = ({ data, width, height }: View): Int32Array => {
  const parent = Int32Array.from({ length: width * height }, (_, at) => at)
  for (let y = 0, at = 0; y < height; y++) {
    for (let x = 0; x < width; x++, at++) {
      if (x > 0 && difference(data, at, at - 1) <= SAME) parent[at] = parent[at - 1]!
      if (y === 0 || difference(data, at, at - width) > SAME) continue
      // Most pixels go on as the row above does, and need no search for their roots.
      if (parent[at] === at) parent[at] = parent[at - width]!
      else if (parent[at] !== parent[at - width]) join(parent, at, at - width)
    }
  }
  for (let at = 0; at < parent.length; at++) parent[at] = rootOf(parent, at)
  return parent
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
}

/** Difference of two pixels in the channel that differs most. */
const difference = (data: Uint8Array, a: number, b: number): number => {
  const p = 3 * a
  const q = 3 * b
  const red = Math.abs(data[p]! - data[q]!)
  const green = Math.abs(data[p + 1]! - data[q + 1]!)
  const blue = Math.abs(data[p + 2]! - data[q + 2]!)
  return red > green ? Math.max(red, blue) : Math.max(green, blue)
}

/** Where a component lies: its pixels are those of the box whose label is `root`. */
interface Outline {
  readonly root: number
  left: number
  readonly top: number
  right: number
  bottom: number
  area: number
}

const boxesOf = ({ width, height }: View, labels: Int32Array): Outline[] => {
  const index = new Int32Array(labels.length).fill(-1)
  const boxes: Outline[] = []
  for (let y = 0, at = 0; y < height; y++) {
    for (let x = 0; x < width; x++, at++) {
      const root = labels[at]!
      // The root is a component's first pixel, so it comes first.
      if (root === at) index[at] = boxes.push({ root, left: x, top: y, right: x + 1, bottom: y + 1, area: 0 }) - 1
      const box = boxes[index[root]!]!
      if (x < box.left) box.left = x
      if (x >= box.right) box.right = x + 1
      box.bottom = y + 1
      box.area += 1
    }
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
    area >= Math.max(2 * LOWEST, 0.12 * width * height)
  )
}

const measure = (
  view: View,
  labels: Int32Array,
  { root, left, top, right, bottom, area }: Outline,
): ConnectedComponent => {
  const colour: [number, number, number] = [0, 0, 0]
  const rim = { length: 0, steps: 0, count: 0 }
  for (let y = top; y < bottom; y++) {
    for (let x = left; x < right; x++) {
      const at = y * view.width + x
      if (labels[at] !== root) continue
      for (let c = 0; c < 3; c++) colour[c]! += view.data[3 * at + c]! / area
      for (const [dx, dy] of DIRECTIONS) lookBeside({ view, labels, rim, root }, x, y, dx, dy)
    }
  }
  const contrast = rim.steps / Math.max(1, rim.count)
  return { left, top, right, bottom, area, stroke: (2 * area) / rim.length, colour, contrast }
}

const DIRECTIONS = [
  [-1, 0],
  [1, 0],
  [0, -1],
  [0, 1],
] as const

interface Rim {
  readonly view: View
  readonly labels: Int32Array
  readonly root: number
  readonly rim: { length: number; steps: number; count: number }
}

/** Where a component ends in a direction: counts its outline, and the step to what lies beyond the softened edge. */
const lookBeside = ({ view, labels, root, rim }: Rim, x: number, y: number, dx: number, dy: number): void => {
  const { data, width, height } = view
  const at = y * width + x
  const isInside = (reach: number): boolean => {
    const [toX, toY] = [x + reach * dx, y + reach * dy]
    return toX >= 0 && toX < width && toY >= 0 && toY < height
  }
  const step = dy * width + dx
  if (isInside(1) && labels[at + step] === root) return
  rim.length += 1
  if (!isInside(BESIDE) || labels[at + BESIDE * step] === root) return
  rim.steps += difference(data, at, at + BESIDE * step)
  rim.count += 1
}

/** Least contrast of a glyph with what is around it. */
const CONTRAST = 40

const hasGlyphStrokes = ({ top, bottom, stroke, contrast }: ConnectedComponent): boolean =>
  stroke / (bottom - top) <= 0.6 && contrast >= CONTRAST
