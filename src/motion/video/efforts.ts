import type { Deadline } from '../../core/deadline.ts'

/** How hard an encoder works, from what is there at once to what is smallest. */
export interface EncoderEffort {
  readonly name: string
  /** Most CPU seconds a megapixel of video that it was seen to take, for the decision whether there is time. */
  readonly secondsPerMegapixel: number
  /** Worth its time only up to so many px of all frames. */
  readonly mostPixels: number
  /** Arguments of each pass; the last one writes. */
  readonly passes: readonly (readonly string[])[]
  /** Refers to as many frames as decoders keep. */
  readonly refs?: boolean
}

/** Quickest first. */
export type Efforts = readonly [EncoderEffort, ...EncoderEffort[]]

/** How much longer than seen an encode may take for it to be tried without a safeguard. */
const BUSY = 4

/** What is tried on an animation. */
export interface EffortChoice {
  /** The quickest only as a safeguard, where the better one may not end in time. */
  readonly efforts: readonly [EncoderEffort, EncoderEffort?]
  /** With more time a better one would have been chosen. */
  readonly timeLimited: boolean
}

/** Efforts that are worth trying on so many px in the time left. */
export const chooseEfforts = (
  [quickest, ...others]: Efforts,
  pixels: number,
  deadline: Pick<Deadline, 'remaining'>,
): EffortChoice => {
  const seconds = deadline.remaining() / 1000
  const cost = (effort: EncoderEffort): number => 0.3 + (pixels / 1e6) * effort.secondsPerMegapixel
  const worthwhile = others.filter((effort) => pixels <= effort.mostPixels)
  const best = worthwhile.findLast((effort) => cost(effort) < seconds)
  const timeLimited = best !== worthwhile.at(-1)
  if (best === undefined) return { efforts: [quickest], timeLimited }
  // A busy machine was seen to take three times as long; the quickest costs little beside the best.
  return { efforts: cost(best) * BUSY < seconds ? [best] : [quickest, best], timeLimited }
}
