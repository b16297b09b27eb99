import type { AnyRaster } from '../../core/image.ts'
import type { FirstPass, JpegEncoder, Setting } from '../quantiser/encoder.ts'
import type { Parameters, TrialScore } from './next-trial.ts'
import { estimateRate } from './rate-estimate.ts'

/** What judges: a reference made ready, giving a candidate's score. */
export type Reference = { compare(candidate: AnyRaster): number }

/** A trial, the setting that gives its very file again, and about how many bytes that takes. */
export type Trial = TrialScore & { setting: Setting; rateEstimate: number }

/**
 * Gives what tries parameters. At tables that are new an attempt that is not judged comes first: with its first-pass statistics the same
 * tables score half a point more, and drawings up to eight; at other tables they hold no longer (docs/jpeg-encoder.md).
 */
export const openTrials = (encoder: JpegEncoder, reference: Reference): ((parameters: Parameters) => Trial) => {
  let learned: { at: number; firstPass: FirstPass } | undefined
  return (parameters) => {
    if (learned?.at !== parameters.quality) {
      learned = { at: parameters.quality, firstPass: encoder.analyse({ ...parameters, ...learned?.firstPass }) }
    }
    const setting = { ...parameters, ...learned.firstPass }
    const score = reference.compare(encoder.reconstruct(setting))
    return { ...parameters, score, setting, rateEstimate: estimateRate(encoder.transformed) }
  }
}

/** Of those that reach the target the one that is estimated least; where none does, the one that scores best. */
export const bestOf = <T extends Pick<Trial, 'score' | 'rateEstimate'>>(
  trials: readonly T[],
  target: number,
): T | undefined =>
  trials.filter((t) => t.score >= target).toSorted((a, b) => a.rateEstimate - b.rateEstimate)[0] ??
  trials.toSorted((a, b) => b.score - a.score)[0]
