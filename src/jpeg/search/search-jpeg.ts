/**
 * Searches the smallest JPEG that keeps every bound: minimises bytes over chroma subsamplings, over modes (how strongly smooth areas are
 * protected) and, in each mode, over one continuous strength. Branch and bound: a subsampling ends once its estimated fewest bytes
 * exceed the best file of the subsamplings before it, or `goal.maxBytes`.
 */
import type { AnyRaster } from '../../core/image.ts'
import { type Curve, clamp, inverse, valueAt } from '../../search/curve.ts'
import { bestTrial, isFeasible } from '../../search/margins.ts'
import { featuresOf } from '../features/image-features.ts'
import { type JpegEncoder, openJpegEncoder } from '../quantiser/encoder.ts'
import { DEFAULT_PARAMETERS } from '../quantiser/parameters.ts'
import type { Subsampling } from '../quantiser/quant-tables.ts'
import { type FoundJpeg, isTimeUp, type JpegGoal } from './goal.ts'
import { predictLevel, predictScores } from './predict.ts'
import {
  type EncoderSearch,
  expectedMargin,
  expectedQuality,
  type JpegMode,
  measureFurther,
  searchMode,
  tilesFail,
  verifySmallest,
} from './search-mode.ts'
import { type Counts, type JpegBound, type JpegTrial, openTrials, type Reference } from './trials.ts'

const SUBSAMPLINGS: readonly Subsampling[] = ['4:2:0', '4:4:4']
/**
 * When full chroma may be smaller on photographs: halved chroma is then what keeps the score down. The tables of 4:2:0 are at least this many
 * steps of quality finer than predicted, by target in points of score. Thumbnails need it at every target (lab/jpeg-encoder.md).
 */
const MIN_EXCESS: Curve = [
  [70, 10],
  [84, 2],
  [100, 2],
]

/** A file with what the next subsampling is decided by. */
interface Outcome {
  readonly found: FoundJpeg
  /** Steps of quality by which its tables are finer than predicted for its score. */
  readonly qualityExcess: number
  readonly estimate: number
}

/** How the search of one subsampling ended: with a file, because every file would exceed `goal.maxBytes`, or because the work was aborted. */
type SubsamplingEnd =
  | { readonly kind: 'found'; readonly outcome: Outcome }
  | { readonly kind: 'too-large'; readonly tilesFail: boolean }
  | { readonly kind: 'aborted' }

/**
 * Yields the best file of each subsampling that is better than the one before: the last is the best. Yields nothing where time was up before
 * it began, where the work was aborted, or where every file would exceed `goal.maxBytes`. About 17 bytes a pixel are held.
 */
export function* searchJpeg(image: AnyRaster, reference: Reference, goal: JpegGoal): Generator<FoundJpeg> {
  const counts: Counts = { trials: 0, comparisons: 0 }
  let best: Outcome | undefined
  let fullMayKeep = false
  for (const [index, subsampling] of (goal.subsamplings ?? SUBSAMPLINGS).entries()) {
    if (isTimeUp(goal) || (index > 0 && !fullMayKeep && !mayGain(goal, best))) return
    const end = searchSubsampling(image, reference, { goal: withBestBytes(goal, best), counts, subsampling })
    // Where tiles made the file with halved chroma too large, full chroma may still fit.
    fullMayKeep = end.kind === 'too-large' && end.tilesFail
    if (end.kind !== 'found' || (best !== undefined && !isBetter(end.outcome.found, best.found))) continue
    best = end.outcome
    yield best.found
  }
}

/** Whether another subsampling can be smaller than the best so far, or keep the bounds that it breaks. */
const mayGain = ({ target, isDrawing = false }: JpegGoal, best: Outcome | undefined): boolean => {
  if (isDrawing || best?.found.reached === false) return true
  return best !== undefined && best.qualityExcess >= valueAt(MIN_EXCESS, target)
}

const isBetter = (a: FoundJpeg, b: FoundJpeg): boolean => {
  if (a.reached !== b.reached) return a.reached
  return a.reached ? a.bytes.length < b.bytes.length : a.score > b.score
}

/** The goal with the bytes of the best file so far as its bound. */
const withBestBytes = (goal: JpegGoal, best: Outcome | undefined): JpegGoal => {
  if (best?.found.reached !== true) return goal
  // Estimates are of a JPEG's bytes: the bytes of another form cannot be compared with them.
  const bytes = goal.form === undefined ? best.found.bytes.length : Number.POSITIVE_INFINITY
  return { ...goal, maxBytes: Math.min(bytes, best.estimate, goal.maxBytes ?? Number.POSITIVE_INFINITY) }
}

interface SubsamplingSearch {
  readonly goal: JpegGoal
  readonly counts: Counts
  readonly subsampling: Subsampling
}

/** Searches all modes of one subsampling, from little protection to more, and writes the best trial. */
const searchSubsampling = (image: AnyRaster, reference: Reference, wanted: SubsamplingSearch): SubsamplingEnd => {
  const { form } = wanted.goal
  const encoder = openJpegEncoder(image, wanted.subsampling, DEFAULT_PARAMETERS, { form })
  try {
    const search = openSearch(encoder, reference, wanted)
    let mode: JpegMode | undefined = { smooth: 0, start: expectedQuality(search) }
    while (mode !== undefined) {
      const end = searchMode(search, mode)
      if (wanted.goal.deadline?.signal?.aborted === true) return { kind: 'aborted' }
      if (end.kind === 'too-large' && !keepsWithinBytes(search))
        return { kind: 'too-large', tilesFail: tilesFail(search.trials) }
      mode = end.kind === 'protect' ? { smooth: end.smooth, start: startProtected(search, end.after) } : undefined
    }
    settle(search)
    return { kind: 'found', outcome: write(search, encoder, wanted.subsampling) }
  } finally {
    encoder.close()
  }
}

const openSearch = (encoder: JpegEncoder, reference: Reference, { goal, counts }: SubsamplingSearch): EncoderSearch => {
  const features = featuresOf(encoder.transformed)
  const tiles: readonly JpegBound[] = reference.tileScore === undefined ? [] : ['tiles']
  const hasNorm = goal.butteraugli !== undefined && reference.butteraugli !== undefined
  return {
    goal,
    bounds: ['score', ...tiles, ...(hasNorm ? (['butteraugli'] as const) : [])],
    size: encoder.transformed.frame,
    curve: predictScores(features),
    level: predictLevel(features),
    maker: openTrials(encoder, reference, goal, counts),
    counts,
    trials: [],
  }
}

/** Whether a trial keeps every bound within `goal.maxBytes`: less protection may do where a mode with more is too large. */
const keepsWithinBytes = (search: EncoderSearch): boolean => {
  const { maxBytes = Number.POSITIVE_INFINITY } = search.goal
  const within = (): readonly JpegTrial[] => search.trials.filter(({ bytes }) => bytes <= maxBytes)
  while (verifySmallest(search, within()));
  return within().some(({ margins }) => isFeasible(margins, search.bounds))
}

/** At equal score, protected trials have tables that are coarser by this many steps of quality: median of 33 photographs at the presets' targets. */
const coarserProtected = (target: number): number => clamp(5 - 0.25 * (target - 70), 1, 5)

/** The first strength of a mode with more protection, from the trial that asked for it: every bound is expected to be kept there. */
export const startProtected = (search: EncoderSearch, { setting, score }: JpegTrial): number => {
  const reached = valueAt(inverse(search.curve), score)
  return setting.quality + expectedQuality(search) - reached - coarserProtected(search.goal.target)
}

/**
 * Measures every bound of the smallest trial that is expected to keep them, until one does. Where none does, it measures the trial whose
 * smallest margin is the largest.
 */
const settle = (search: EncoderSearch): void => {
  const { goal, bounds } = search
  if (goal.deadline?.signal?.aborted === true) return
  const isLateWithResult = (): boolean =>
    isTimeUp(goal) && search.trials.some(({ margins }) => isFeasible(margins, bounds))
  while (!isLateWithResult() && verifySmallest(search, search.trials));
  const isMeasured = (trial: JpegTrial): boolean => bounds.every((bound) => trial.margins[bound] !== undefined)
  while (!search.trials.some(isMeasured))
    measureFurther(search, search.trials.toSorted((a, b) => expectedMargin(search, b) - expectedMargin(search, a))[0]!)
}

/** Writes the best trial. */
const write = (search: EncoderSearch, encoder: JpegEncoder, subsampling: Subsampling): Outcome => {
  const { goal, bounds, trials, counts, curve, maker } = search
  const {
    setting,
    score,
    norm,
    comparison,
    margins,
    bytes: estimate,
  } = bestTrial<JpegBound, JpegTrial>(trials, bounds)!
  maker.restore({ setting })
  const found: FoundJpeg = {
    bytes: encoder.finish(goal.keep),
    score,
    ...(norm === undefined ? {} : { butteraugli: norm }),
    ...(comparison === undefined ? {} : { comparison }),
    reached: isFeasible(margins, bounds),
    setting: { ...setting, maskingMean: encoder.maskingMean() },
    subsampling,
    ...counts,
  }
  return { found, estimate, qualityExcess: setting.quality - valueAt(inverse(curve), score) }
}
