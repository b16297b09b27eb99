import type { Extent } from '../../core/image.ts'
import { clip, type Found } from '../boxes.ts'
import type { ConnectedComponent, PixelBounds } from './components.ts'
import { findRoot, singletons, unite } from './union-find.ts'

/** Adjacent glyphs with their common properties. */
interface Run extends PixelBounds {
  readonly glyphs: readonly ConnectedComponent[]
  readonly height: number
  /** The base line: the median of the glyphs' lower ends. */
  readonly base: number
  readonly stroke: number
  readonly colour: readonly [number, number, number]
}

/** Smallest number of glyphs in a line. */
const MIN_GLYPHS = 4
/** More components are a texture or a page full of text, which has no focus. */
const MAX_COMPONENTS = 4000
/** Largest gap between glyphs of a word, as a share of their height. */
const LETTER_GAP = 0.7
/** Largest gap between words of a line, likewise. */
const WORD_GAP = 2.4

/** Lines of text in a view: components of one colour and stroke form words, and words on one base line form lines. */
export const findLines = (components: readonly ConnectedComponent[], view: Extent): Found[] => {
  if (components.length > MAX_COMPONENTS) return []
  const glyphs = components.map((glyph) => toRun([glyph]))
  return joinRuns(joinRuns(glyphs, areOneWord), areOneLine)
    .filter((line) => line.glyphs.length >= MIN_GLYPHS)
    .map((line) => toFound(line, view))
    .filter(({ score }) => score > 0)
}

const toFound = (line: Run, { width, height }: Extent): Found =>
  clip({
    score: certaintyOf(line),
    x: line.left / width,
    y: line.top / height,
    width: (line.right - line.left) / width,
    height: (line.bottom - line.top) / height,
  })

const middleOf = ({ left, right }: Run): number => (left + right) / 2

/** Joins all runs that `belong` together (left, right), directly or through others. */
const joinRuns = (runs: readonly Run[], belong: (a: Run, b: Run) => boolean): Run[] => {
  const sorted = [...runs].sort((a, b) => a.left - b.left || a.top - b.top)
  const forest = singletons(sorted.length)
  sorted.forEach((a, at) => {
    // No gap may be wider than this, however high the other run is.
    const end = a.right + 2 * WORD_GAP * a.height
    for (let next = at + 1; next < sorted.length && sorted[next]!.left <= end; next++) {
      const b = sorted[next]!
      if (middleOf(a) <= middleOf(b) ? belong(a, b) : belong(b, a)) unite(forest, at, next)
    }
  })
  const joined = Map.groupBy(sorted.keys(), (at) => findRoot(forest, at))
  return [...joined.values()].map((members) => toRun(members.flatMap((at) => sorted[at]!.glyphs)))
}

const toRun = (glyphs: readonly ConnectedComponent[]): Run => ({
  glyphs,
  left: Math.min(...glyphs.map(({ left }) => left)),
  right: Math.max(...glyphs.map(({ right }) => right)),
  top: Math.min(...glyphs.map(({ top }) => top)),
  bottom: Math.max(...glyphs.map(({ bottom }) => bottom)),
  height: median(glyphs.map(({ top, bottom }) => bottom - top)),
  base: median(glyphs.map(({ bottom }) => bottom)),
  stroke: median(glyphs.map(({ stroke }) => stroke)),
  colour: [0, 1, 2].map((c) => median(glyphs.map(({ colour }) => colour[c]!))) as [number, number, number],
})

const areOneWord = (a: Run, b: Run): boolean => {
  const [least, most] = [Math.min(a.height, b.height), Math.max(a.height, b.height)]
  return (
    most <= 2 * least &&
    Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) >= 0.6 * least &&
    // Side by side, not inside one another.
    middleOf(b) >= middleOf(a) + 0.2 * Math.min(a.right - a.left, b.right - b.left) &&
    b.left - a.right <= LETTER_GAP * most &&
    ratio(a.stroke, b.stroke) <= 1.8 &&
    farApart(a.colour, b.colour) <= 40
  )
}

const areOneLine = (a: Run, b: Run): boolean => {
  const height = Math.max(a.height, b.height)
  return (
    ratio(a.height, b.height) <= 1.5 &&
    Math.abs(a.base - b.base) <= 0.2 * height &&
    b.left >= a.right - 0.2 * height &&
    b.left - a.right <= WORD_GAP * height &&
    ratio(a.stroke, b.stroke) <= 1.7 &&
    farApart(a.colour, b.colour) <= 40
  )
}

const ratio = (a: number, b: number): number => Math.max(a, b) / Math.min(a, b)

const farApart = (a: readonly number[], b: readonly number[]): number =>
  Math.max(...a.map((value, c) => Math.abs(value - b[c]!)))

/** High for many glyphs of strong contrast on a straight base line; 0 for text-like arrangements of other shapes. */
const certaintyOf = ({ glyphs, left, top, right, bottom, height }: Run): number => {
  const unevenness = spread(glyphs.map((glyph) => glyph.bottom)) / height
  const fill = mean(glyphs.map((glyph) => glyph.area / ((glyph.right - glyph.left) * (glyph.bottom - glyph.top))))
  const covered = glyphs.reduce((sum, glyph) => sum + glyph.right - glyph.left, 0) / (right - left)
  const contrast = mean(glyphs.map((glyph) => glyph.contrast))
  const shaped = bottom - top <= 2 * height && right - left >= 1.5 * height && fill <= 0.85 && covered >= 0.35
  if (!shaped || unevenness > 0.3) return 0
  return Math.min(1, glyphs.length / 8) * Math.min(1, contrast / 100) * (1 - unevenness)
}

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length

const median = (values: readonly number[]): number => [...values].sort((a, b) => a - b)[values.length >> 1]!

const spread = (values: readonly number[]): number => {
  const middle = mean(values)
  return Math.sqrt(mean(values.map((value) => (value - middle) ** 2)))
}
