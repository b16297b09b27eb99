/** A palette with diffused errors that keeps the promise, found in little time: trials on busy blocks give its size, then the whole is measured. */
import { expectedMs, hasTimeFor } from '../search/budget.ts'
import type { SearchRequest } from './format.ts'
import { lowestIndex } from './lowest-index.ts'
import { type Indexed, show } from './palette/remap.ts'
import { openPart, PART_PIXELS, type WorkArea, wholeArea } from './palette/work-area.ts'
import { type ImagePalettes, lastFor, losesDetail, prove, START } from './palette-search.ts'
import type { Proven } from './verified.ts'

/** CPU of a whole palette search, in ms per megapixel on an idle core: 9,000 to 14,000 for photographs of 0.26 to 0.39 megapixels. */
const PALETTE_SEARCH_MS = 12_000

/** Whether a search of palettes and levels, and `others` ms of other steps, may not end in time. */
export const isHasty = (request: SearchRequest, others: number): boolean => {
  const { width, height } = request.pixels
  const palettes = (Math.min(width * height, PART_PIXELS) / 1e6) * PALETTE_SEARCH_MS
  return !hasTimeFor(request, palettes + expectedMs('levels-search', request.pixels) + others)
}

const DIFFUSED = { tolerance: 0, diffused: true } as const

/** Whether an image has more colours than 16,384: palettes of these take a second, and often break a bound. */
export const isColourful = ({ histogram }: Pick<ImagePalettes, 'histogram'>): boolean =>
  histogram.counts.length > 2 ** 14

/** The place in SIZES of the smallest palette that passes on the busy blocks; the last where none does. */
const placeOn = (request: SearchRequest, { histogram, at }: ImagePalettes, goal: number): number => {
  const last = lastFor(histogram.counts.length)
  // A quarter of a usual search's part: a trial takes 20 to 40 ms.
  using area = openPart(request, histogram, PART_PIXELS / 4)
  const found = lowestIndex(
    { first: 0, last, start: Math.min(START, last), limits: { maxTrials: 3, minBracket: 3 } },
    (place) => prove(area, area.map(at(place), DIFFUSED), { goal, diffused: true }),
  )
  return found?.index ?? last
}

/** Whether an image keeps the promise. Thin structures, which take longest on a whole, come last. */
const proveWhole = (whole: WorkArea, image: Indexed, goal: number): Proven<Indexed> | undefined => {
  const shown = show(image, whole.pixels.channels)
  if (whole.ssimulacra2(shown) < goal) return undefined
  const examined = whole.examine(shown)
  return examined.keeps && !losesDetail(whole, image, goal) ? { shown: image, examined } : undefined
}

/** The palette image, or undefined where none keeps the promise. */
export const quickPalette = (request: SearchRequest, palettes: ImagePalettes): Proven<Indexed> | undefined => {
  if (request.wanted.kind === 'lossless') return undefined
  const goal = request.wanted.goal.score
  const { histogram, at } = palettes
  const last = lastFor(histogram.counts.length)
  const place = isColourful(palettes) ? last : placeOn(request, palettes, goal)
  const whole = wholeArea(request, histogram)
  // A little more colours than the busy blocks need, then about twice as many.
  for (const tried of new Set([2, 12].map((more) => Math.min(last, place + more)))) {
    if (request.deadline.signal.aborted) return undefined
    const proven = proveWhole(whole, whole.map(at(tried), DIFFUSED), goal)
    if (proven !== undefined) return proven
  }
  return undefined
}
