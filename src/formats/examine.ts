import type { AnyRaster, Raster } from '../core/image.ts'
import type { Density } from '../core/units.ts'
import type { PerceptualMetrics, Scores } from '../metric/metrics.ts'
import type { Target } from '../plan/plan.ts'
import { brokenBounds, countedDistance, countedScore, type PromisedScores } from '../plan/promise.ts'
import { boundsOf, effectiveScore, withMargins } from '../plan/targets.ts'
import type { Examine, Measures, SearchRequest } from './format.ts'

/** What candidates of one image are measured by; to be disposed of. */
export type Examiner = Disposable & Measures & Pick<SearchRequest, 'examinePart'>

/** A candidate whose score is so far below the goal fails by that alone: Butteraugli need not be asked. */
const HOPELESS = 12
/** Points that a tile's colour or a contour counts for below the goal when it is twice its bound. */
const PLACE_POINTS = 15

/**
 * How errors in a part of an image count in the whole: a norm of power p falls by the share to 1/p. Butteraugli's 3-norm is the
 * mean of the 3-, 6- and 12-norm; the exponent of the score was chosen on the busy blocks of graphics. Whatever
 * passes in part is measured as a whole before it is used.
 */
const NORM_BY_SHARE = 1 / 6
const SCORE_BY_SHARE = 0.3

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

  /** The score as which a tile's colour and contours count: the goal where the worse of them is at its bound. */
  const byPlace = ({ tileColour, contour }: Pick<PromisedScores, 'tileColour' | 'contour'>): number => {
    const excess = Math.max(tileColour / bounds.tileColour, contour / bounds.contour) - 1
    return goal - PLACE_POINTS * excess
  }

  const open = (part: Raster, busy: number): Disposable & Measures => {
    const reference = metrics.prepare(part, density)
    let latest: { readonly candidate: AnyRaster; readonly scores: Scores } | undefined
    const measure = (candidate: AnyRaster): Scores => {
      if (latest?.candidate !== candidate) latest = { candidate, scores: reference.measure(candidate) }
      return latest.scores
    }
    const scoreOf = ({ ssimulacra }: Scores): number => 100 - (100 - ssimulacra) * busy ** SCORE_BY_SHARE
    const leastOf = (scores: Scores): number => countedScore(scoreOf(scores), scores.worstTileSsimulacra)
    const examine: Examine = (candidate) => {
      const measured = measure(candidate)
      const [score, least] = [scoreOf(measured), leastOf(measured)]
      if (least < goal - HOPELESS) return { score, keeps: false, effective: least, broken: ['ssimulacra'] }
      const norm = measured.butteraugli3 * busy ** NORM_BY_SHARE
      const scores: PromisedScores = {
        ssimulacra: least,
        tileColour: measured.tileColour,
        contour: measured.contour,
        butteraugli3: countedDistance(norm, measured.worstTileButteraugli),
      }
      const broken = [...brokenBounds(scores, bounds)]
      const byDistance = goal + effectiveScore(scores.butteraugli3) - atBound
      const place = byPlace(scores)
      const effective = Math.min(least, byDistance, place >= goal ? 100 : place)
      return { score, butteraugli: norm, distance: scores.butteraugli3, keeps: broken.length === 0, effective, broken }
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
