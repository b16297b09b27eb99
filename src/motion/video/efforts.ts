import type { Deadline } from '../../core/deadline.ts'

/** How hard an encoder works, from what is there at once to what is smallest. */
export interface EncoderEffort {
  readonly name: string
  /** Most CPU seconds a megapixel of video that it was seen to take, for the decision whether there is time. */
  readonly secondsPerMegapixel: number
  /** px of all frames up to which the effort is worth its time. */
  readonly mostPixels: number
  /** Arguments of each pass; the last one writes. */
  readonly passes: readonly (readonly string[])[]
  /** Refers to as many frames as decoders keep. */
  readonly refs?: boolean
  /** Other ways of the same cost. The first trial decides which of them takes the fewest bytes. */
  readonly alternatives?: readonly EncoderEffort[]
  /** Slower arguments of the last pass, also of an alternative, by which the setting that a search has found is encoded again. */
  readonly finish?: readonly string[]
}

/** An effort whose last pass has the arguments of its finish. */
export const finishOf = (effort: EncoderEffort, finish: readonly string[]): EncoderEffort => ({
  ...effort,
  name: `${effort.name} finished`,
  passes: [...effort.passes.slice(0, -1), [...effort.passes.at(-1)!, ...finish]],
})

/** Quickest first. */
export type Efforts = readonly [EncoderEffort, ...EncoderEffort[]]

/** How much longer than seen an encode may take for it to be tried without a safeguard. */
export const BUSY = 4

/** The effort that an animation is encoded by. */
export interface EffortChoice {
  readonly effort: EncoderEffort
  /** Whether it may not end in time: then the quickest effort encodes once before anything else. */
  readonly isRisky: boolean
  /** With more time a better one would have been chosen. */
  readonly timeLimited: boolean
}

/** Chooses the effort for `pixels` px of all frames in the time left. */
export const chooseEffort = (
  [quickest, ...others]: Efforts,
  pixels: number,
  deadline: Pick<Deadline, 'remaining'>,
): EffortChoice => {
  const seconds = deadline.remaining() / 1000
  const cost = (effort: EncoderEffort, factor = 1): number => 0.3 + (pixels / 1e6) * effort.secondsPerMegapixel * factor
  const worthwhile = others.filter((effort) => pixels <= effort.mostPixels)
  const best = worthwhile.findLast((effort) => cost(effort) < seconds)
  const effort = best ?? quickest
  // A busy machine was measured to take three times as long. The quickest effort costs little compared with the best.
  return { effort, isRisky: cost(effort, BUSY) >= seconds, timeLimited: best !== worthwhile.at(-1) }
}
