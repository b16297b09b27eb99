import type { AnyRaster } from '../../core/image.ts'
import type { FirstPass, JpegEncoder, Setting } from '../quantiser/encoder.ts'
import { type BothScores, keepsBounds, type QualityBounds, shortfall } from './bounds.ts'
import type { Parameters, TrialScore } from './next-trial.ts'
import { estimateRate } from './rate-estimate.ts'

/** Metrics with a reference made ready, each giving a candidate's figure; Butteraugli's 3-norm is left out where it is undefined. */
export interface Reference {
  compare(candidate: AnyRaster): number
  butteraugli?(candidate: AnyRaster): number
}

/** A trial, the setting that gives its very file again, and about how many bytes that takes. */
export interface Trial extends TrialScore, BothScores {
  readonly score: number
  readonly setting: Setting
  readonly rateEstimate: number
}

/** What tries parameters, and what asks Butteraugli of a trial. */
interface Trials {
  attempt(parameters: Parameters): Trial
  compare(trial: Trial): Trial
}

/**
 * At tables that are new a first pass comes first, which is not scored: with its statistics the same tables score half a point
 * more, and drawings up to eight; at other tables they hold no longer (docs/lab/jpeg-encoder.md).
 */
export const openTrials = (encoder: JpegEncoder, reference: Reference): Trials => {
  let statistics: { at: number; firstPass: FirstPass } | undefined
  let shown: { setting: Setting; pixels: AnyRaster } | undefined
  const pixelsOf = (setting: Setting): AnyRaster => {
    if (shown?.setting !== setting) shown = { setting, pixels: encoder.reconstruct(setting) }
    return shown.pixels
  }
  return {
    attempt: (parameters) => {
      if (statistics?.at !== parameters.quality) {
        const firstPass = encoder.analyse({ ...parameters, ...statistics?.firstPass })
        statistics = { at: parameters.quality, firstPass }
      }
      const setting = { ...parameters, ...statistics.firstPass }
      const score = reference.compare(pixelsOf(setting))
      return { ...parameters, score, setting, rateEstimate: estimateRate(encoder.transformed) }
    },
    compare: (trial) => ({ ...trial, butteraugli: reference.butteraugli!(pixelsOf(trial.setting)) }),
  }
}

/** Of those that keep the bounds the one whose estimate is smallest; where none does, the one that comes nearest. */
export const bestOf = <T extends BothScores & Pick<Trial, 'rateEstimate'>>(
  trials: readonly T[],
  bounds: QualityBounds,
): T | undefined =>
  trials.filter((t) => keepsBounds(t, bounds)).toSorted((a, b) => a.rateEstimate - b.rateEstimate)[0] ??
  trials.toSorted((a, b) => shortfall(a, bounds) - shortfall(b, bounds))[0]
