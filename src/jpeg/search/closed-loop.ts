import type { AnyRaster } from '../../core/image.ts'
import { type JpegEncoder, openJpegEncoder } from '../quantiser/encoder.ts'
import { quantTablesAt, type Subsampling } from '../quantiser/quant-tables.ts'
import { keepsBounds, shortfall } from './bounds.ts'
import { type FoundJpeg, isTimeUp, type JpegGoal } from './goal.ts'
import { worstLostSlope } from './lost-slopes.ts'
import {
  type ContinuedGoal,
  compareLikely,
  firstQuality,
  type JpegSearch,
  keepsPlaces,
  openJpegSearch,
  protectionIn,
  runTrials,
} from './one-search.ts'
import { qualityAt } from './quality-prediction.ts'
import { bestOf, type Reference, type Trial } from './trial.ts'

/** Above this many pixels the search would take more than about 1 GB: use sharp's encoder instead. See docs/jpeg-encoder.md. */
export const CLOSED_LOOP_PIXELS = 40_000_000

/**
 * Searches the smallest JPEG of `image` whose score against `reference` reaches the target: each trial quantises, reconstructs and
 * scores the final pixels, one entropy coding ends it. Undefined when the image is too large, when the work was
 * aborted, when time ran out before the first trial, or when it cannot stay below `goal.beat`; when time runs out later the
 * best so far is written.
 */
export const searchJpeg = (image: AnyRaster, reference: Reference, goal: JpegGoal): FoundJpeg | undefined => {
  if (image.width * image.height > CLOSED_LOOP_PIXELS || isTimeUp(goal)) return undefined
  const first = searchAt(image, reference, goal, goal.subsampling ?? '4:2:0')
  const next = first && !goal.subsampling ? goalInFull(goal, first) : undefined
  if (!first || !next || isTimeUp(goal)) return first
  const full = searchAt(image, reference, next, '4:4:4')
  if (!full) return goal.deadline?.signal?.aborted ? undefined : first
  const trials = first.trials + full.trials
  return { ...(isBetter(full, first) ? full : first), trials }
}

/** Above this score full chroma can be smaller on photographs, where halved chroma is what keeps the score down. */
const HIGH_TARGET = 84
const MUCH_STRAIN = 2

/**
 * The goal of a search with full chroma after one with halved chroma: undefined where that can hardly be smaller, nor reach
 * what the other did not, unless it is to be tried anyway. `found` is undefined where nothing stays below `beat`.
 */
export const goalInFull = (goal: JpegGoal, found: FoundJpeg | undefined, anyway = false): JpegGoal | undefined => {
  const full = { ...goal, subsampling: '4:4:4' as const }
  const high = goal.target >= HIGH_TARGET
  if (found === undefined) return anyway || high ? full : undefined
  if (!found.reached) return full
  if (!anyway && !(high && found.strain >= MUCH_STRAIN)) return undefined
  const beat = Math.min(found.bytes.length, found.rateEstimate, goal.beat ?? Number.POSITIVE_INFINITY)
  return { ...full, start: found.quality - COARSER_IN_FULL, beat }
}

/** With full chroma the tables of a score are coarser by about this. */
const COARSER_IN_FULL = 6

const isBetter = (a: FoundJpeg, b: FoundJpeg): boolean => {
  if (a.reached !== b.reached) return a.reached
  return a.reached ? a.bytes.length < b.bytes.length : a.score > b.score
}

const searchAt = (
  image: AnyRaster,
  reference: Reference,
  goal: JpegGoal,
  subsampling: Subsampling,
): FoundJpeg | undefined => {
  const encoder = openJpegEncoder(image, subsampling)
  try {
    const begun = protectedWhereLost(
      encoder,
      reference,
      { ...goal, course: { trials: 0, comparisons: 0 } },
      subsampling,
    )
    return searchWith(encoder, reference, begun, subsampling)
  } finally {
    encoder.close()
  }
}

/** With smooth places protected the tables of a score are coarser by about this, in the median of 33 photographs at low, medium and high. */
const coarserInSmooth = (score: number): number => Math.max(1, Math.min(5, 5 - 0.25 * (score - 70)))

/** Where to begin with smooth places protected, after a trial that did but for its places or was near that. */
const startInSmooth = ({ trials, bounds, known: { curve } }: JpegSearch): number => {
  const { quality, similarity } = trials.at(-1)!
  return quality + qualityAt(curve, bounds.score) - qualityAt(curve, similarity) - coarserInSmooth(bounds.score)
}

/** From this slope on, lost in smooth places, contours were sure to bind: two code values across a block; at low scores, which bear more of them, from more. */
const visibleSlope = (score: number): number => 6 * 2 ** (Math.max(0, 70 - score) / 12)
/** Images that are expected to do with coarser tables are no photographs, and contours not what tells of them. */
const COARSEST_KNOWN = 20

/** The goal of a search, with smooth places protected from its first trial on where the tables that it would begin with lose their slopes. */
const protectedWhereLost = (
  encoder: JpegEncoder,
  reference: Reference,
  goal: ContinuedGoal,
  subsampling: Subsampling,
): ContinuedGoal => {
  if (reference.places === undefined || goal.start !== undefined) return goal
  const search = openJpegSearch(encoder, reference, goal)
  const quality = firstQuality(search)
  const [, across, down] = quantTablesAt(quality, subsampling)[0]
  const lost = worstLostSlope(encoder.transformed, { across: across!, down: down! })
  return quality < COARSEST_KNOWN || lost < visibleSlope(search.bounds.score)
    ? goal
    : { ...goal, smooth: 1, start: quality - coarserInSmooth(search.bounds.score) }
}

const searchWith = (
  encoder: JpegEncoder,
  reference: Reference,
  goal: ContinuedGoal,
  subsampling: Subsampling,
): FoundJpeg | undefined => {
  const search = openJpegSearch(encoder, reference, goal)
  const hopeless = runTrials(search, goal)
  if (hopeless || goal.deadline?.signal?.aborted) return undefined
  const write = (): FoundJpeg => writeBest(search, encoder, goal, subsampling)
  const smooth = protectionIn(search, goal)
  if (smooth === undefined) return write()
  const found = searchWith(encoder, reference, { ...goal, smooth, start: startInSmooth(search) }, subsampling)
  if (found === undefined) return undefined
  const better = gains(found, search) ? found : write()
  return { ...better, trials: found.trials + search.trials.length }
}

/** Whether what was found with smooth places protected more takes fewer bytes than any trial without, or is nearer to what is wanted where none keeps it. */
const gains = (found: FoundJpeg, search: JpegSearch): boolean => {
  const { trials, bounds } = search
  const isCheaper = (one: Trial): boolean => keepsPlaces(one, bounds) && one.rateEstimate < found.rateEstimate
  if (found.reached && !trials.some(isCheaper)) return true
  compareLikely(search)
  const best = bestOf(trials, bounds)!
  return found.reached && keepsBounds(best, bounds)
    ? found.rateEstimate <= best.rateEstimate
    : shortfall(found, bounds) < shortfall(best, bounds)
}

/** Writes the best trial of a search, which has made one at least. */
const writeBest = (
  search: JpegSearch,
  encoder: JpegEncoder,
  { keep, course }: ContinuedGoal,
  subsampling: Subsampling,
): FoundJpeg => {
  const best = bestOf(search.trials, search.bounds)!
  search.restore(best)
  const { score, butteraugli, comparison, quality, rateEstimate } = best
  return {
    bytes: encoder.finish(keep),
    score,
    ...(butteraugli === undefined ? {} : { butteraugli }),
    ...(comparison === undefined ? {} : { comparison }),
    reached: keepsBounds(best, search.bounds),
    quality,
    trials: search.trials.length,
    comparisons: course.comparisons,
    subsampling,
    rateEstimate,
    strain: quality - qualityAt(search.known.curve, score),
  }
}
