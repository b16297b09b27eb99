/** A palette with diffused errors that keeps the promise, found in little time: trials on busy blocks give its size, then the whole is measured. */
import { expectedMs, hasTimeFor } from '../search/budget.ts'
import type { SearchRequest } from './format.ts'
import { lowestIndex } from './lowest-index.ts'
import type { Indexed } from './palette/remap.ts'
import { openPart, PART_PIXELS, wholeArea } from './palette/work-area.ts'
import { type ImagePalettes, isColourful, lastFor, prove, START } from './palette-search.ts'
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

/** Points by which the margins of neighbouring sizes differ by chance. Chosen below the 1.5 measured between 226 and 256 colours of a photograph. */
const NOISE = 1

/** The palette image, or undefined where none keeps the promise. */
export const quickPalette = (request: SearchRequest, palettes: ImagePalettes): Proven<Indexed> | undefined => {
  if (request.wanted.kind === 'lossless') return undefined
  const goal = request.wanted.goal.score
  const { histogram, smooth, at } = palettes
  const last = lastFor(histogram.counts.length)
  const place = isColourful(palettes) ? last : placeOn(request, palettes, goal)
  const whole = wholeArea(request, histogram, smooth)
  // A few more colours than the busy blocks need, then about twice as many. Where there are no more, a few less may keep what all just break.
  const [few, more] = [Math.min(last, place + 2), Math.min(last, place + 12)]
  for (const index of [few, more > few ? more : Math.max(0, last - 2)]) {
    if (request.deadline.signal.aborted) return undefined
    const { proven, above = Number.NEGATIVE_INFINITY } = prove(whole, whole.map(at(index), DIFFUSED), {
      goal,
      diffused: true,
      outlineLast: true,
    })
    if (proven !== undefined) return proven
    if (index === last && above < -NOISE) return undefined
  }
  return undefined
}
