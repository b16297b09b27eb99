import type { Raster, StillFormat } from '../core/image.ts'
import { selectBusyBlocks } from '../raster/busy-blocks.ts'
import { expectedMs, lacksTimeFor } from '../search/budget.ts'
import { openTrialTimer } from '../search/trial-timer.ts'
import { collectAllGarbage, collectGarbage } from '../support/collect-garbage.ts'
import { dropIdleKernels } from '../support/kernel-pool.ts'
import type { Measures, SearchRequest, Step } from './format.ts'
import { coarsen } from './levels/coarsen.ts'
import { type IndexRange, lowestIndex, WHOLE_IMAGE_LIMITS } from './lowest-index.ts'
import { countColours, type Histogram } from './palette/histogram.ts'
import { findSmoothAreas } from './palette/smooth-areas.ts'
import { isSampled } from './sample/sample.ts'
import { type Proven, verified } from './verified.ts'

/** The colours of an image, and where it is a gradient. */
interface Colours {
  readonly histogram: Histogram
  readonly smooth: () => Uint8Array
}

const coloursOf = (pixels: Raster): Colours => ({
  histogram: countColours(pixels),
  smooth: () => findSmoothAreas(pixels),
})

/** How truecolour is stored. */
export interface TruecolourEncoder {
  readonly format: StillFormat
  /** Bytes that the image takes without loss, about. */
  readonly lossless: number
  readonly encode: (image: Raster) => Promise<Uint8Array>
  /** A quick encode, and the least share of its bytes that `encode` takes. Where other formats wait, a large image yields an estimate before the whole is measured. */
  readonly estimate?: { readonly encode: (image: Raster) => Promise<Uint8Array>; readonly minShare: number }
  /** Present for a search in haste, with the colours and gradients of the image. It searches few busy blocks, so that its first levels of the whole are likely to pass. */
  readonly haste?: Colours
}

/** Sample values between two levels of green, from 40 to 2, the coarsest first. */
const STEPS = Array.from({ length: 25 }, (_, place) => 40 * 20 ** (-place / 24))
const LAST = STEPS.length - 1
/** The search over steps starts at a step of 11. */
const RANGE: IndexRange = { first: 0, last: LAST, start: 10 }
/** No image took a smaller share of its bytes without loss: where something smaller is there already, nothing is tried. */
export const MIN_LEVELS_SHARE = 0.12
/** Images above `whole` pixels are searched by `usual.part` or `hasty.part` pixels of their busy blocks, and the whole begins `safety` finer levels on. */
const AREAS = {
  whole: 6e5,
  usual: { part: 4e5, safety: 0 },
  hasty: { part: 1e5, safety: 2 },
} as const

/** A flat colour with this share of the pixels stays: a change of a screenshot's ground would be visible and saves no bytes. */
const KEPT_SHARE = 1 / 500
/** Minimum number of its pixels, for tiny images. */
const KEPT_PIXELS = 16
/** A colour is flat from this share of its pixels on that equal their left neighbour: noise has common colours too. 0 and 0.75 were compared (lab/search.md). */
const FLAT_SHARE = 0.5

/** For each pixel 1 where its colour is flat and that of many. */
const findFlatColours = ({ counts, entries }: Histogram): Uint8Array => {
  const repeated = new Uint32Array(counts.length)
  for (let at = 1; at < entries.length; at += 1) if (entries[at] === entries[at - 1]) repeated[entries[at]!]! += 1
  const least = Math.max(KEPT_PIXELS, entries.length * KEPT_SHARE)
  const isKept = counts.map((count, entry) => (count >= least && repeated[entry]! >= count * FLAT_SHARE ? 1 : 0))
  const kept = new Uint8Array(entries.length)
  for (let at = 0; at < entries.length; at += 1) kept[at] = isKept[entries[at]!]!
  return kept
}

/** Result of one step: `proven` if it keeps the promise, and its points above the goal. */
interface Tried {
  readonly proven?: Proven<Raster>
  readonly above?: number
}

/** Coarse images of some pixels, each made and measured once. Nothing passes once less time is left than a trial and storing take. */
const openTrials = (
  request: SearchRequest,
  pixels: Raster,
  measures: Measures,
  goal: number,
  colours = coloursOf(pixels),
) => {
  const [smooth, kept] = [colours.smooth(), findFlatColours(colours.histogram)]
  const { grey } = request.features
  // Storing takes less than a trial. A trial that fails by the score is shorter than one that passes.
  const timed = openTrialTimer(request, { reserve: 0, factor: 2, memory: 1 })
  const measure = (place: number): Tried => {
    // The colours of the pixels, and the trial before, take as much memory as the image.
    if (isSampled(pixels)) collectGarbage()
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
    const trial = known.get(place) ?? timed((): Tried => measure(place), {})
    known.set(place, trial)
    return trial
  }
}

const isSearchedInPart = ({ width, height }: Raster): boolean => width * height > AREAS.whole

/** Levels of the whole that are tried, and of a large image its busy blocks with the coarsest levels that keep the promise there. */
interface Start {
  readonly range: IndexRange
  readonly part?: { readonly pixels: Raster; readonly shown: Raster }
}

/** All levels for a small image; those from the coarsest that pass on the busy blocks of a large one, undefined where none do. */
const startOf = (
  request: SearchRequest,
  { goal, hasty }: { readonly goal: number; readonly hasty: boolean },
): Start | undefined => {
  const { pixels } = request
  const { part: most, safety } = AREAS[hasty ? 'hasty' : 'usual']
  const blocks = isSearchedInPart(pixels) ? selectBusyBlocks(pixels, most) : undefined
  if (blocks === undefined) return { range: RANGE }
  using measures = request.examinePart(blocks.pixels, blocks.busy)
  const found = lowestIndex(RANGE, openTrials(request, blocks.pixels, measures, goal))
  if (found?.outcome.proven === undefined) return undefined
  const first = Math.min(LAST, found.index + safety)
  const range = { ...RANGE, first, start: first, limits: WHOLE_IMAGE_LIMITS }
  return { range, part: { pixels: blocks.pixels, shown: found.outcome.proven.shown } }
}

/**
 * Searches the truecolour image of the fewest levels a channel that keeps the promise. For what has more colours than a palette can hold and
 * no other format can show: photographs cut out of their background, soft shadows, colour wheels. Yields an estimate before the whole of a large image is
 * measured, and one candidate at most, decoded. A hasty search returns what it shows.
 */
export async function* searchLevels(
  request: SearchRequest,
  { format, lossless, encode, estimate, haste }: TruecolourEncoder,
): AsyncGenerator<Step, Proven<Raster> | undefined> {
  const { pixels, wanted, bytesToBeat } = request
  if (wanted.kind === 'lossless' || bytesToBeat() < lossless * MIN_LEVELS_SHARE) return undefined
  const isEstimated = estimate !== undefined && isSearchedInPart(pixels)
  if (!isEstimated && lacksTimeFor(request, expectedMs(haste ? 'levels-fast' : 'levels-search', pixels)))
    return undefined
  const goal = wanted.goal.score
  const start = startOf(request, { goal, hasty: haste !== undefined })
  if (start === undefined) return undefined
  if (isEstimated) {
    if (start.part !== undefined) {
      const [coarse, exact] = [await estimate.encode(start.part.shown), await estimate.encode(start.part.pixels)]
      yield { kind: 'estimate', bytes: (lossless * estimate.minShare * coarse.length) / exact.length }
    }
    // Where another format takes fewer bytes, no time is missing.
    if (lacksTimeFor(request, expectedMs('levels-search', pixels))) return undefined
  }
  let proven = lowestIndex(start.range, openTrials(request, pixels, request, goal, haste))?.outcome.proven
  if (proven === undefined) return undefined
  if (isSampled(pixels)) {
    dropIdleKernels()
    await collectAllGarbage()
  }
  const bytes = await encode(proven.shown)
  request.encoded()
  const candidate = bytes.length < bytesToBeat() ? await verified(request, format, { bytes, ...proven }) : undefined
  // Another format's whole needs the memory meanwhile.
  if (haste === undefined) proven = undefined
  if (candidate !== undefined) yield candidate
  return proven
}
