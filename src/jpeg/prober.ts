import type { Knobs, Probe } from './aim.ts'
import type { Samples } from './canvas.ts'
import type { JpegEncoder, Setting } from './encoder.ts'
import { priceOf } from './price.ts'

/** What judges: a reference made ready, giving a candidate's score. */
export type Reference = { compare(candidate: Samples): number }

/** A probe, the setting that gives its very file again, and about how many bytes that takes. */
export type Tried = Probe & { setting: Setting; price: number }

type Lessons = Pick<Setting, 'rates' | 'shifts'>

/**
 * Gives what tries knobs. The first attempt is judged as it is, and teaches: with its lessons the same tables score half a point
 * more. At other tables they hold no longer (docs/jpeg-encoder.md), so there an attempt that is not judged comes first.
 */
export const openProber = (encoder: JpegEncoder, reference: Reference): ((knobs: Knobs) => Tried) => {
  let learned: { at: number; lessons: Lessons } | undefined
  const judged = (probe: Omit<Tried, 'score' | 'price'>, pixels: Samples): Tried => ({
    ...probe,
    score: reference.compare(pixels),
    price: priceOf(encoder.canvas),
  })
  return (knobs) => {
    const { quality } = knobs
    if (!learned) {
      const { pixels, ...lessons } = encoder.attempt(knobs)
      learned = { at: quality, lessons }
      return judged({ ...knobs, taught: false, setting: knobs }, pixels)
    }
    if (learned.at !== quality) {
      const { rates, shifts } = encoder.attempt({ ...knobs, ...learned.lessons })
      learned = { at: quality, lessons: { rates, shifts } }
    }
    const setting = { ...knobs, ...learned.lessons }
    return judged({ ...knobs, taught: true, setting }, encoder.show(setting))
  }
}

/** Of those that reach the target the one that is priced least; where none does, the one that scores best. */
export const bestOf = <T extends Pick<Tried, 'score' | 'price'>>(tried: readonly T[], target: number): T | undefined =>
  tried.filter((t) => t.score >= target).toSorted((a, b) => a.price - b.price)[0] ??
  tried.toSorted((a, b) => b.score - a.score)[0]
