import type { AnyRaster } from '../../core/image.ts'
import type { FirstPass, JpegEncoder, Setting, Smoothing } from '../quantiser/encoder.ts'
import { type BothScores, keepsBounds, type QualityBounds, shortfall } from './bounds.ts'
import type { ImageFeatures } from './image-features.ts'
import type { Parameters, TrialScore } from './next-trial.ts'
import { estimateRate } from './rate-estimate.ts'

/** Metrics with a reference made ready, each giving a candidate's figure: all are asked of one candidate before its pixels become the next one's. */
export interface Reference {
  /** SSIMULACRA 2.1; asked of every trial. */
  compare(candidate: AnyRaster): number
  /** The score as which the worst places count, at least the target where they keep what is promised: asked of a trial that may be the result. */
  places?(candidate: AnyRaster): number
  /** Butteraugli's 3-norm, asked last; left out where it is undefined. */
  butteraugli?(candidate: AnyRaster): number
}

/** A trial, the setting that gives its very file again, and about how many bytes that takes. */
export interface Trial extends TrialScore, BothScores {
  readonly score: number
  readonly setting: Setting
  readonly rateEstimate: number
  /** By SSIMULACRA alone; `score` is lower where places break what is promised. As expected, where they did and it was not asked. */
  readonly similarity: number
  /** The score as which its worst places count; absent where they were not asked. */
  readonly place?: number
  /** Which call of `butteraugli` told its 3-norm, from 0. */
  readonly comparison?: number
}

/** What tries parameters, and what asks of a trial's places and then, unless these lower its score, Butteraugli. */
interface Trials {
  attempt(parameters: Parameters): Trial
  compare(trial: Trial): Trial
  /** Whether a trial's places told against it. */
  placesTell(): boolean
  /** Makes the encoder's coefficients those of a trial, where they are another's. */
  restore(trial: Trial): void
}

/** How trials are made. */
export interface TrialRules {
  /** The least score that is wanted. */
  readonly target: number
  readonly smooth?: Smoothing
  /** Whether places are asked of every trial: it is known already that they matter. */
  readonly watched?: boolean
  /** What a trial of these parameters should score by SSIMULACRA; undefined where too little is known. */
  readonly expected?: (parameters: Parameters) => number | undefined
}

/** What all searches with one encoder share: what tells of its image, what it has reconstructed last, and how many trials and comparisons by Butteraugli there were. */
export interface Course {
  features?: ImageFeatures
  shown?: { readonly setting: Setting; readonly pixels: AnyRaster }
  trials: number
  comparisons: number
}

/** Points below the target from which a trial's places tell something: those of the first such trial are looked at. */
const NEAR_ENOUGH = 3

/**
 * At tables that are new a first pass comes first, which is not scored: with its statistics the same tables score half a point
 * more, and drawings up to eight; at other tables they hold no longer (docs/lab/jpeg-encoder.md).
 */
export const openTrials = (encoder: JpegEncoder, reference: Reference, course: Course, rules: TrialRules): Trials => {
  const { target, smooth = 0, watched = false, expected = () => undefined } = rules
  let statistics: { at: number; firstPass: FirstPass } | undefined
  let looked = false
  // Where the places of one trial told against it, those of the next ones are looked at at once.
  let placesTell = false
  const pixelsOf = (setting: Setting): AnyRaster => {
    if (course.shown?.setting !== setting) course.shown = { setting, pixels: encoder.reconstruct(setting) }
    return course.shown.pixels
  }
  const withPlace = (trial: Trial, place: number): Trial => {
    const score = place < target ? Math.min(trial.similarity, place) : trial.similarity
    looked = true
    placesTell ||= score < trial.similarity
    return { ...trial, place, score }
  }
  const withPlaces = (trial: Trial): Trial => withPlace(trial, reference.places?.(pixelsOf(trial.setting)) ?? 100)
  /** Where smooth places are protected nothing but rates is learnt, and those of the trial before will do. */
  const learn = (parameters: Parameters): FirstPass =>
    smooth > 0 && course.shown !== undefined
      ? { rates: encoder.latestRates() }
      : encoder.analyse({ ...parameters, smooth, ...statistics?.firstPass })
  const isWatched = (score: number): boolean => watched || placesTell || (!looked && score > target - NEAR_ENOUGH)
  return {
    placesTell: () => placesTell,
    restore: ({ setting }) => {
      if (course.shown?.setting !== setting) encoder.quantise(setting)
    },
    attempt: (parameters) => {
      course.trials++
      if (statistics?.at !== parameters.quality) statistics = { at: parameters.quality, firstPass: learn(parameters) }
      const setting = { ...parameters, smooth, ...statistics.firstPass }
      const pixels = pixelsOf(setting)
      const made = { ...parameters, setting, rateEstimate: estimateRate(encoder.transformed) }
      const scored = (similarity: number): Trial => ({ ...made, score: similarity, similarity })
      const likely = watched || placesTell ? expected(parameters) : undefined
      if (likely === undefined) {
        const trial = scored(reference.compare(pixels))
        return isWatched(trial.score) ? withPlaces(trial) : trial
      }
      // What places break is no result, however it scores.
      const placed = withPlaces(scored(likely))
      return placed.score < likely ? placed : withPlace(scored(reference.compare(pixels)), placed.place!)
    },
    compare: (trial) => {
      const looked = trial.place === undefined ? withPlaces(trial) : trial
      if (looked.score < trial.score) return looked
      return {
        ...looked,
        butteraugli: reference.butteraugli!(pixelsOf(trial.setting)),
        comparison: course.comparisons++,
      }
    },
  }
}

/** Of those that keep the bounds the one whose estimate is smallest; where none does, the one that comes nearest. */
export const bestOf = <T extends BothScores & Pick<Trial, 'rateEstimate'>>(
  trials: readonly T[],
  bounds: QualityBounds,
): T | undefined =>
  trials.filter((t) => keepsBounds(t, bounds)).toSorted((a, b) => a.rateEstimate - b.rateEstimate)[0] ??
  trials.toSorted((a, b) => shortfall(a, bounds) - shortfall(b, bounds))[0]
