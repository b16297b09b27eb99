import type { Smoothing } from '../quantiser/encoder.ts'

/** Figures of one trial, in points of score: SSIMULACRA 2.1, and what its worst tile counts as; absent where that was not measured. */
export interface TileFigures {
  readonly score: number
  readonly tileScore?: number
}

/** Score below which a tile must lack twice as much: coarse tables in textured areas break Butteraugli's bound first. By eye on photographs. */
const LOW_TARGET = 62
/** Going from degree d to d + 1 pays where the worst tile lacks more than d + 1 times this many points: `bench/jpeg.ts` on photographs. */
const MIN_LACK = 1

/** The degree of protection that smooth areas need after a trial with degree `smooth`; undefined where that degree is enough. */
export const protectionAfter = (trial: TileFigures, target: number, smooth: Smoothing): Smoothing | undefined => {
  const { score, tileScore = score } = trial
  const lack = Math.min(score, target) - tileScore
  const least = MIN_LACK * (1 + smooth) * (target < LOW_TARGET ? 2 : 1)
  return lack > least && smooth < 3 ? ((smooth + 1) as Smoothing) : undefined
}
