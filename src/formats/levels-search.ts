import type { Raster, StillFormat } from '../core/image.ts'
import { selectBusyBlocks } from '../raster/busy-blocks.ts'
import { expectedMs, hasTimeFor } from '../search/budget.ts'
import type { Candidate, Measures, SearchRequest } from './format.ts'
import { coarsen } from './levels/coarsen.ts'
import { type IndexRange, lowestIndex, WHOLE_IMAGE_LIMITS } from './lowest-index.ts'
import { countColours } from './palette/histogram.ts'
import { findSmoothAreas } from './palette/smooth-areas.ts'
import { type Proven, verified } from './verified.ts'

/** How truecolour is stored. */
export interface TruecolourEncoder {
  readonly format: StillFormat
  /** Bytes that the image takes without loss, about. */
  readonly lossless: number
  readonly encode: (image: Raster) => Promise<Uint8Array>
}

/** Sample values between two levels of green, from 40 to 2, the coarsest first. */
const STEPS = Array.from({ length: 25 }, (_, place) => 40 * 20 ** (-place / 24))
const LAST = STEPS.length - 1
/** The search over steps starts at a step of 11. */
const RANGE: IndexRange = { first: 0, last: LAST, start: 10 }
/** No image took a smaller share of its bytes without loss: where something smaller is there already, nothing is tried. */
const MIN_SHARE = 0.12
/** Images above `whole` pixels are searched by `part` pixels of their busy blocks. */
const PIXELS = { whole: 6e5, part: 4e5 } as const

/** A colour with this share of the pixels stays: a change of a screenshot's ground would be visible and saves no bytes. */
const KEPT_SHARE = 1 / 500
/** Minimum number of its pixels, for tiny images. */
const KEPT_PIXELS = 16

/** For each pixel 1 where its colour is that of many. */
const findCommonColours = (pixels: Raster): Uint8Array => {
  const { counts, entries } = countColours(pixels)
  const least = Math.max(KEPT_PIXELS, entries.length * KEPT_SHARE)
  return Uint8Array.from(entries, (entry) => (counts[entry]! >= least ? 1 : 0))
}

/** Result of one step: `proven` if it keeps the promise, and its points above the goal. */
interface Tried {
  readonly proven?: Proven<Raster>
  readonly above?: number
}

/** Coarse images of some pixels, each made and measured once. Nothing passes once the deadline is over. */
const openTrials = (request: SearchRequest, pixels: Raster, measures: Measures, goal: number) => {
  const [smooth, kept] = [findSmoothAreas(pixels), findCommonColours(pixels)]
  const { grey } = request.features
  const look = (place: number): Tried => {
    if (request.deadline.signal.aborted) {
      request.outOfTime()
      return {}
    }
    const shown = coarsen(pixels, { step: STEPS[place]!, grey, smooth, kept })
    // Butteraugli takes longer than all else: what fails by another measure is not asked.
    const margin = measures.ssimulacra2(shown) - goal
    if (margin < 0) return { above: margin }
    const examined = measures.examine(shown)
    const above = examined.effective - goal
    return examined.keeps ? { proven: { shown, examined }, above } : { above }
  }
  const known = new Map<number, Tried>()
  return (place: number): Tried => {
    const tried = known.get(place) ?? look(place)
    known.set(place, tried)
    return tried
  }
}

/** The image in the coarsest levels that keep the promise; of a large one they are found on its busy blocks, and finer ones are tried where the whole fails. */
const provenLevels = (request: SearchRequest, goal: number): Proven<Raster> | undefined => {
  const { pixels } = request
  const large = pixels.width * pixels.height > PIXELS.whole
  const blocks = large ? selectBusyBlocks(pixels, PIXELS.part) : undefined
  const tryWhole = openTrials(request, pixels, request, goal)
  if (blocks === undefined) return lowestIndex(RANGE, tryWhole)?.outcome.proven
  using part = request.examinePart(blocks.pixels, blocks.busy)
  const first = lowestIndex(RANGE, openTrials(request, blocks.pixels, part, goal))?.index
  if (first === undefined) return undefined
  return lowestIndex({ ...RANGE, first, start: first, limits: WHOLE_IMAGE_LIMITS }, tryWhole)?.outcome.proven
}

/**
 * Searches the truecolour image of the fewest levels a channel that keeps the promise. For what has more colours than a palette can hold and
 * no other format can show: photographs cut out of their background, soft shadows, colour wheels. Yields one candidate at most, decoded.
 */
export async function* searchLevels(request: SearchRequest, encoder: TruecolourEncoder): AsyncGenerator<Candidate> {
  const { pixels, wanted, bytesToBeat } = request
  if (wanted.kind === 'lossless' || bytesToBeat() < encoder.lossless * MIN_SHARE) return
  if (!hasTimeFor(request, expectedMs('levels-search', pixels))) return request.outOfTime()
  const proven = provenLevels(request, wanted.goal.score)
  if (proven === undefined) return
  const bytes = await encoder.encode(proven.shown)
  request.encoded()
  if (bytes.length < bytesToBeat()) yield await verified(request, encoder.format, { bytes, ...proven })
}
