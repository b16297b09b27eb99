import type { StillFormat } from '../core/image.ts'
import { toPixels } from '../raster/raw.ts'
import type { Candidate, SearchRequest } from './format.ts'
import { divide, type Palette, settlePalette } from './palette/cluster.ts'
import { countColours, type Histogram } from './palette/histogram.ts'
import { type Indexed, remap, show } from './palette/remap.ts'

export interface PaletteEncoder {
  readonly format: StillFormat
  readonly encode: (image: Indexed) => Promise<Uint8Array> | Uint8Array
  /** Lossless recompression of a winner. */
  readonly finish?: (bytes: Uint8Array) => Promise<Uint8Array>
}

/** Palette sizes worth telling apart. */
const SIZES = [
  2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 20, 24, 28, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256,
]
/** By how much a pixel may be farther from its neighbour's colour than from the nearest; 1.2 is a step of one in grey. */
const TOLERANCES = [0, 1.5, 3, 4.5, 6, 8, 10, 12.5, 15, 18, 22, 27]
/** Twice and four times the smallest palette that passes can be smaller still, as they bear more tolerance. */
const LARGER = [0, 4, 8]
/** Places of the largest palettes of 1, 2 and 4 bits: with one size more pixels are no longer packed and deflate better, by up to a tenth. */
const PACKED = [2, 4, 16].map((size) => SIZES.indexOf(size))
/** Images this much larger than the smallest may still end smaller, as lossless recompression takes 3 to 15 %. */
const RUNNER_UP = 1.12
const LLOYD_ROUNDS = 6
/** From this many pixels on one larger palette is tried, not two. */
const MANY_PIXELS = 4e6
/** A palette image this much larger than the best so far has no kin that wins: tolerance gains up to 40 %. */
const HOPELESS = 3

/** ms per megapixel that a search takes at least on a slow core. */
const LEAST_MS = 500
const isTooMuch = ({ pixels, deadline }: SearchRequest): boolean =>
  ((pixels.width * pixels.height) / 1e6) * LEAST_MS > deadline.remaining()

/**
 * Points by which the worst region may lie below the goal. A small photograph in a screenshot has hardly a say in the
 * palette, nor in the whole's score: without this bound such regions were up to 18 points worse than the whole. Of
 * photographs as JPEG none is more than 5.
 */
const WORST_BELOW = 10

interface Trial {
  readonly image: Indexed
  readonly score: number
  readonly passes: boolean
}

/** Palettes of an image by place in SIZES, each made once. */
const openPalettes = (histogram: Histogram) => {
  const groups = [...divide(histogram, SIZES)]
  const made = new Map<number, Palette>()
  return (at: number): Palette => {
    const palette = made.get(at) ?? settlePalette(histogram, groups[at]!, LLOYD_ROUNDS)
    made.set(at, palette)
    return palette
  }
}

/** The lowest place of 0..`last` where `passes` holds, if it holds from there on; undefined when it does not at `last`. `start` is looked at first. */
const lowestPassing = (last: number, start: number, passes: (at: number) => boolean): number | undefined => {
  let low = 0
  let high = last + 1
  let at = start
  while (low < high) {
    if (passes(at)) high = at
    else low = at + 1
    at = (low + high) >> 1
  }
  return high > last ? undefined : high
}

/**
 * Searches the smallest palette image that reaches the goal: first the smallest palette that passes, then for it and for
 * larger ones the most tolerance towards neighbours' colours. Probes are judged as they will be shown; what is yielded was
 * decoded and judged.
 */
export async function* searchPalette(request: SearchRequest, encoder: PaletteEncoder): AsyncGenerator<Candidate> {
  const { pixels, wanted, examine, deadline } = request
  if (wanted.kind !== 'score') return
  const goal = wanted.goal.score
  if (isTooMuch(request)) return request.hurried()
  const histogram = countColours(pixels)
  const paletteAt = openPalettes(histogram)
  const tried = new Map<string, Trial>()
  const attempt = (size: number, tolerance: number): Trial => {
    const image = remap(pixels, histogram, paletteAt(size), TOLERANCES[tolerance]!)
    const { score, worst } = examine(show(image, pixels.channels))
    return { image, score, passes: score >= goal && worst >= goal - WORST_BELOW }
  }
  let slowest = 0
  // What was found must still be encoded, and judged again, before the deadline.
  const isLate = (): boolean => {
    const late = deadline.signal.aborted || deadline.remaining() < slowest * 4
    if (late) request.hurried()
    return late
  }
  const passes = (size: number, tolerance: number): boolean => {
    if (isLate()) return false
    const since = performance.now()
    const trial = attempt(size, tolerance)
    slowest = Math.max(slowest, performance.now() - since)
    if (trial.passes) tried.set(`${size} ${tolerance}`, trial)
    return trial.passes
  }
  const encode = async ({ image, score }: Trial): Promise<Candidate> => {
    const bytes = await encoder.encode(image)
    request.encoded()
    return { format: encoder.format, bytes, score, lossless: false }
  }

  const last = SIZES.length - 1
  const smallest = lowestPassing(last, Math.min(last, 14), (size) => passes(size, 0))
  if (smallest === undefined) return
  let made: readonly Candidate[] = []
  let tolerance = 0
  for (const step of PACKED.includes(smallest) ? [0, 1, ...LARGER.slice(1)] : LARGER) {
    const size = smallest + step
    if (size > last || (step > 4 && pixels.width * pixels.height > MANY_PIXELS)) break
    const most = TOLERANCES.length - 1 - tolerance
    // A larger palette bears what a smaller one bears: its search starts there.
    const short = lowestPassing(most, Math.max(0, most - 4), (left) => passes(size, TOLERANCES.length - 1 - left))
    // Without tolerance the smallest palette passed already; it is what a search cut short ends with.
    tolerance = short === undefined ? 0 : TOLERANCES.length - 1 - short
    const trial = tried.get(`${size} ${tolerance}`)
    if (trial === undefined) break
    const candidate = await encode(trial)
    if (candidate.bytes.length > request.beat() * HOPELESS) return
    const isSmallest = made.every(({ bytes }) => candidate.bytes.length < bytes.length)
    made = [...made, candidate]
    if (candidate.bytes.length < request.beat()) yield await verified(request, candidate)
    if (!isSmallest && step > 1) break
    if (isLate()) return
  }
  if (encoder.finish === undefined) return
  for (const candidate of finalists(made)) {
    if (deadline.signal.aborted) return
    const bytes = await encoder.finish(candidate.bytes)
    if (bytes.length < request.beat()) yield await verified(request, { ...candidate, bytes })
  }
}

/** The smallest, and the next if it is near. */
const finalists = (made: readonly Candidate[]): readonly Candidate[] => {
  const [best, next] = made.toSorted((a, b) => a.bytes.length - b.bytes.length)
  if (best === undefined) return []
  return next !== undefined && next.bytes.length < best.bytes.length * RUNNER_UP ? [best, next] : [best]
}

/** Judged anew on what its bytes decode to. */
const verified = async ({ judge }: SearchRequest, candidate: Candidate): Promise<Candidate> => ({
  ...candidate,
  score: judge(await toPixels(candidate.bytes)),
})
