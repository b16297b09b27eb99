import type { Smoothing } from '../quantiser/encoder.ts'
import type { JpegTrial } from './trials.ts'

/** When more protection pays, in points of score. */
const LACK = {
  /** Degree d + 1 pays where the worst tile is more than d + 1 times this below the score, or below a target that is lower: `bench/jpeg.ts` on photographs. */
  min: 1,
  /** Target below which a tile must lack twice as much: coarse tables in textured areas break Butteraugli's bound first. By eye on photographs. */
  doubledBelow: 62,
} as const

/** The degree of protection that smooth areas need after a trial with degree `smooth`; undefined where that degree is enough. */
export const protectionAfter = (
  trial: Pick<JpegTrial, 'score' | 'tileScore'>,
  target: number,
  smooth: Smoothing,
): Smoothing | undefined => {
  const { score, tileScore = score } = trial
  const lack = Math.min(score, target) - tileScore
  const least = LACK.min * (1 + smooth) * (target < LACK.doubledBelow ? 2 : 1)
  return lack > least && smooth < 3 ? ((smooth + 1) as Smoothing) : undefined
}
