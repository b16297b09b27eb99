import type { AnyRaster, Box, Raster } from '../core/image.ts'
import type { Density } from '../core/units.ts'
import type { PerceptualMetrics, Scores } from '../metric/metrics.ts'
import { amongMirrorImages } from '../metric/mirror.ts'
import type { Target } from '../plan/plan.ts'
import { brokenBounds, countedContour, countedDistance, countedScore, type PromisedScores } from '../plan/promise.ts'
import { boundsOf, effectiveScore, withMargins } from '../plan/targets.ts'
import type { Examine, Examined, Measures, SearchRequest } from './format.ts'

/** Measures of one image's candidates. Dispose of it. */
export type Examiner = Disposable & Measures & Pick<SearchRequest, 'examinePart'>

/** Points below the bound of a cheaper measure from which Butteraugli is not measured, unless the caller says otherwise. Chosen, not measured. */
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
  const isReduced = target.kind === 'score' && target.reduced === true
  const asScored = (raster: AnyRaster): AnyRaster => (isReduced ? amongMirrorImages(raster) : raster)

  /** Margins in points of SSIMULACRA 2.1: at least 0 where a bound is kept. */
  const placeMargins = ({ tileColour, contour }: Pick<PromisedScores, 'tileColour' | 'contour'>) => ({
    tileColour: PLACE_POINTS * (1 - tileColour / bounds.tileColour),
    contour: PLACE_POINTS * (1 - contour / bounds.contour),
  })
  /** The score as which a tile's colour and contours count: the goal where the worse of them is at its bound. */
  const byPlace = (scores: Pick<PromisedScores, 'tileColour' | 'contour'>): number =>
    goal + Math.min(...Object.values(placeMargins(scores)))

  const open = (part: Raster, busy: number, boxes?: readonly Box[]): Disposable & Measures => {
    const reference = metrics.prepare(asScored(part), density, boxes)
    // Weak, so that pixels of large candidates are freed before the next encode.
    const measured = new WeakMap<AnyRaster, Scores>()
    const measure = (candidate: AnyRaster): Scores => {
      const scores = measured.get(candidate) ?? reference.measure(asScored(candidate))
      measured.set(candidate, scores)
      return scores
    }
    const scoreOf = ({ ssimulacra }: Scores): number => 100 - (100 - ssimulacra) * busy ** BY_SHARE.score
    const leastOf = (scores: Scores): number => countedScore(scoreOf(scores), scores.worstTileSsimulacra)
    /** The measurements with the bounds that they break. Not every bound was measured where one is broken. */
    const report = (known: Omit<Examined, 'keeps' | 'broken'>): Examined => {
      const broken = [...brokenBounds(known.figures, bounds)]
      return { ...known, keeps: broken.length === 0, broken }
    }
    const examine: Examine = (candidate, format = 'png', patience = FAILS_BY_SCORE) => {
      const scored = measure(candidate)
      const tiles = { tileColour: scored.tileColour, contour: countedContour(scored, format) }
      const place = byPlace(tiles)
      if (patience < 0 && place < goal)
        return report({ effective: place, margins: placeMargins(tiles), figures: tiles })
      const [score, least] = [scoreOf(scored), leastOf(scored)]
      const cheap = { ssimulacra: least - goal, ...placeMargins(tiles) }
      const counted = Math.min(least, place >= goal ? 100 : place)
      if (Math.min(...Object.values(cheap)) < -Math.max(0, patience))
        return report({ score, effective: counted, margins: cheap, figures: { ssimulacra: least, ...tiles } })
      const butteraugli = scored.butteraugli3 * busy ** BY_SHARE.norm
      const distance = countedDistance(butteraugli, scored.worstTileButteraugli)
      const margins = { ...cheap, butteraugli3: effectiveScore(distance) - atBound }
      const effective = Math.min(counted, goal + margins.butteraugli3)
      const figures = { ssimulacra: least, ...tiles, butteraugli3: distance }
      return report({ score, butteraugli, distance, effective, margins, figures })
    }
    return {
      examine,
      ssimulacra2: (candidate) => leastOf(measure(candidate)),
      tileScore: (candidate) => byPlace(measure(candidate)),
      mostButteraugli: bounds.butteraugli3,
      [Symbol.dispose]: () => reference.free(),
    }
  }
  return { ...open(pixels, 1), examinePart: open }
}
