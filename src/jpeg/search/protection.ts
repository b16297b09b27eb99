import type { Smoothing } from '../quantiser/encoder.ts'

/** Figures of one trial, in points of score: SSIMULACRA 2.1, and what its worst tile counts as; absent where that was not measured. */
export interface TileFigures {
  readonly score: number
  readonly tileScore?: number
}

/** Below this target coarse tables in textured areas break Butteraugli's bound first: smooth areas are protected later. */
const LOW_TARGET = 62
/** Points that the worst tile lacks from which one degree more pays, for each degree and the first: `bench/jpeg.ts` on photographs. */
const MIN_LACK = 1

/** The degree of protection that smooth areas need after a trial with degree `smooth`; undefined where that degree is enough. */
export const protectionAfter = (trial: TileFigures, target: number, smooth: Smoothing): Smoothing | undefined => {
  const { score, tileScore = score } = trial
  const lack = Math.min(score, target) - tileScore
  const least = MIN_LACK * (1 + smooth) * (target < LOW_TARGET ? 2 : 1)
  return lack > least && smooth < 3 ? ((smooth + 1) as Smoothing) : undefined
}
