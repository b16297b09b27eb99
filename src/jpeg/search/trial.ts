import type { AnyRaster } from '../../core/image.ts'
import type { FirstPass, JpegEncoder, Setting, Smoothing } from '../quantiser/encoder.ts'
import { type BothScores, keepsBounds, type QualityBounds, shortfall } from './bounds.ts'
import type { Parameters, TrialScore } from './next-trial.ts'
import { estimateRate } from './rate-estimate.ts'

/** Metrics with a reference made ready, each giving a candidate's figure: all are asked of one candidate before its pixels become the next one's. */
export interface Reference {
  /** SSIMULACRA 2.1; asked of every trial. */
  compare(candidate: AnyRaster): number
  /** The score as which the worst places count, 100 where they keep what is promised: asked of a trial that may be the result. */
  places?(candidate: AnyRaster): number
  /** Butteraugli's 3-norm, asked last; left out where it is undefined. */
  butteraugli?(candidate: AnyRaster): number
}

/** A trial, the setting that gives its very file again, and about how many bytes that takes. */
export interface Trial extends TrialScore, BothScores {
  readonly score: number
  readonly setting: Setting
  readonly rateEstimate: number
  /** Which call of `butteraugli` told its 3-norm, from 0. */
  readonly comparison?: number
}

/** What tries parameters, and what asks of a trial's places and then, unless these lower its score, Butteraugli. */
interface Trials {
  attempt(parameters: Parameters): Trial
  compare(trial: Trial): Trial
  /** Whether a trial's places told against it. */
  placesTell(): boolean
}

/**
 * At tables that are new a first pass comes first, which is not scored: with its statistics the same tables score half a point
 * more, and drawings up to eight; at other tables they hold no longer (docs/lab/jpeg-encoder.md).
 */
export const openTrials = (encoder: JpegEncoder, reference: Reference, smooth: Smoothing = 0): Trials => {
  let statistics: { at: number; firstPass: FirstPass } | undefined
  let comparisons = 0
  // Where the places of one trial told against it, those of the next ones are looked at at once.
  let placesTell = false
  let shown: { setting: Setting; pixels: AnyRaster } | undefined
  const pixelsOf = (setting: Setting): AnyRaster => {
    if (shown?.setting !== setting) shown = { setting, pixels: encoder.reconstruct(setting) }
    return shown.pixels
  }
  const placesOf = (pixels: AnyRaster): number => reference.places?.(pixels) ?? 100
  return {
    placesTell: () => placesTell,
    attempt: (parameters) => {
      if (statistics?.at !== parameters.quality) {
        const firstPass = encoder.analyse({ ...parameters, smooth, ...statistics?.firstPass })
        statistics = { at: parameters.quality, firstPass }
      }
      const setting = { ...parameters, smooth, ...statistics.firstPass }
      const pixels = pixelsOf(setting)
      const similar = reference.compare(pixels)
      const score = placesTell ? Math.min(similar, placesOf(pixels)) : similar
      return { ...parameters, score, setting, rateEstimate: estimateRate(encoder.transformed) }
    },
    compare: (trial) => {
      const pixels = pixelsOf(trial.setting)
      const score = placesOf(pixels)
      if (score < trial.score) {
        placesTell = true
        return { ...trial, score }
      }
      return { ...trial, butteraugli: reference.butteraugli!(pixels), comparison: comparisons++ }
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
