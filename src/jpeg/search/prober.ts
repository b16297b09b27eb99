import type { AnyRaster } from '../../core/image.ts'
import type { JpegEncoder, Lessons, Setting } from '../quantiser/encoder.ts'
import type { Knobs, Probe } from './next-trial.ts'
import { priceOf } from './rate-estimate.ts'

/** What judges: a reference made ready, giving a candidate's score. */
export type Reference = { compare(candidate: AnyRaster): number }

/** A probe, the setting that gives its very file again, and about how many bytes that takes. */
export type Tried = Probe & { setting: Setting; price: number }

/**
 * Gives what tries knobs. At tables that are new an attempt that is not judged comes first, and teaches: with its lessons the same
 * tables score half a point more, and drawings up to eight; at other tables they hold no longer (docs/jpeg-encoder.md).
 */
export const openProber = (encoder: JpegEncoder, reference: Reference): ((knobs: Knobs) => Tried) => {
  let learned: { at: number; lessons: Lessons } | undefined
  return (knobs) => {
    if (learned?.at !== knobs.quality) {
      learned = { at: knobs.quality, lessons: encoder.teach({ ...knobs, ...learned?.lessons }) }
    }
    const setting = { ...knobs, ...learned.lessons }
    const score = reference.compare(encoder.show(setting))
    return { ...knobs, score, setting, price: priceOf(encoder.canvas) }
  }
}

/** Of those that reach the target the one that is priced least; where none does, the one that scores best. */
export const bestOf = <T extends Pick<Tried, 'score' | 'price'>>(tried: readonly T[], target: number): T | undefined =>
  tried.filter((t) => t.score >= target).toSorted((a, b) => a.price - b.price)[0] ??
  tried.toSorted((a, b) => b.score - a.score)[0]
