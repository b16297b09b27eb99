import type { AnyRaster, Box, Raster } from '../core/image.ts'
import type { Density } from '../core/units.ts'
import type { PerceptualMetrics, Scores } from '../metric/metrics.ts'
import type { Target } from '../plan/plan.ts'
import {
  type BoundName,
  brokenBounds,
  countedContour,
  countedDistance,
  countedScore,
  type PromisedScores,
} from '../plan/promise.ts'
import { boundsOf, effectiveScore, withMargins } from '../plan/targets.ts'
import type { Examine, Measures, SearchRequest } from './format.ts'

/** Measures of one image's candidates. Dispose of it. */
export type Examiner = Disposable & Measures & Pick<SearchRequest, 'examinePart'>

/** A candidate whose score is so far below the goal fails by that alone: Butteraugli need not be asked. */
export const FAILS_BY_SCORE = 12
/** Points of margin that a tile's colour or a contour loses from 0 to its bound, and from its bound to twice that. */
const PLACE_POINTS = 15

/**
 * How errors in a part of an image count in the whole: a norm of power p falls by the share to 1/p. What passes in part is measured
 * as a whole before it is used.
 */
const BY_SHARE = {
  /** Exponent: Butteraugli's 3-norm is the mean of the 3-, 6- and 12-norm. */
  norm: 1 / 6,
  /** Exponent, chosen on the busy blocks of graphics. */
  score: 0.3,
} as const

/** Measured values and the bounds that they are compared with. */
interface Held {
  readonly score: number
  readonly least: number
  readonly norm: number
  readonly scores: PromisedScores
}

/** Whether a bound was broken in one place, and not by the whole. */
const isLocal = (bound: BoundName, { score, least, norm, scores }: Held): boolean => {
  if (bound === 'ssimulacra') return least < score
  return bound === 'butteraugli3' ? scores.butteraugli3 > norm : true
}

/** Where the worst place lies by the measure of a bound. */
const placeOf =
  ({ worstAt }: Scores) =>
  (bound: BoundName): Box =>
    bound === 'butteraugli3' ? worstAt.butteraugli : worstAt[bound]

export interface Examination {
  readonly pixels: Raster
  readonly target: Target
  readonly density: Density
}

/** Opens what measures candidates of pixels against what is promised of them. */
export const openExaminer = (metrics: PerceptualMetrics, { pixels, target, density }: Examination): Examiner => {
  const lossy = target.kind === 'score' ? target : { preset: 'high' as const, score: 100 }
  const bounds = withMargins(boundsOf(lossy, density))
  const goal = bounds.ssimulacra
  const atBound = effectiveScore(bounds.butteraugli3)

  /** Margins in points of SSIMULACRA 2.1: at least 0 where a bound is kept. */
  const placeMargins = ({ tileColour, contour }: Pick<PromisedScores, 'tileColour' | 'contour'>) => ({
    tileColour: PLACE_POINTS * (1 - tileColour / bounds.tileColour),
    contour: PLACE_POINTS * (1 - contour / bounds.contour),
  })
  /** The score as which a tile's colour and contours count: the goal where the worse of them is at its bound. */
  const byPlace = (scores: Pick<PromisedScores, 'tileColour' | 'contour'>): number =>
    goal + Math.min(...Object.values(placeMargins(scores)))

  const open = (part: Raster, busy: number, boxes?: readonly Box[]): Disposable & Measures => {
    const reference = metrics.prepare(part, density, boxes)
    // Weak, so that pixels of large candidates are freed before the next encode.
    const measured = new WeakMap<AnyRaster, Scores>()
    const measure = (candidate: AnyRaster): Scores => {
      const scores = measured.get(candidate) ?? reference.measure(candidate)
      measured.set(candidate, scores)
      return scores
    }
    const scoreOf = ({ ssimulacra }: Scores): number => 100 - (100 - ssimulacra) * busy ** BY_SHARE.score
    const leastOf = (scores: Scores): number => countedScore(scoreOf(scores), scores.worstTileSsimulacra)
    const examine: Examine = (candidate, format = 'png') => {
      const scored = measure(candidate)
      const [score, least] = [scoreOf(scored), leastOf(scored)]
      if (least < goal - FAILS_BY_SCORE) {
        const margins = { ssimulacra: least - goal }
        return {
          score,
          keeps: false,
          effective: least,
          broken: ['ssimulacra'],
          margins,
          figures: { ssimulacra: least },
        }
      }
      const norm = scored.butteraugli3 * busy ** BY_SHARE.norm
      const scores: PromisedScores = {
        ssimulacra: least,
        tileColour: scored.tileColour,
        contour: countedContour(scored, format),
        butteraugli3: countedDistance(norm, scored.worstTileButteraugli),
      }
      const broken = [...brokenBounds(scores, bounds)]
      const margins = {
        ssimulacra: least - goal,
        butteraugli3: effectiveScore(scores.butteraugli3) - atBound,
        ...placeMargins(scores),
      }
      const place = byPlace(scores)
      const effective = Math.min(least, goal + margins.butteraugli3, place >= goal ? 100 : place)
      const missedAt = broken.filter((bound) => isLocal(bound, { least, score, norm, scores })).map(placeOf(scored))
      const known = { score, butteraugli: norm, distance: scores.butteraugli3, effective, margins, figures: scores }
      return { ...known, keeps: broken.length === 0, broken, ...(missedAt.length === 0 ? {} : { missedAt }) }
    }
    return {
      examine,
      similarity: (candidate) => leastOf(measure(candidate)),
      places: (candidate) => byPlace(measure(candidate)),
      mostButteraugli: bounds.butteraugli3,
      [Symbol.dispose]: () => reference.free(),
    }
  }
  return { ...open(pixels, 1), examinePart: open }
}
