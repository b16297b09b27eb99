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
/** Points of margin of a tile without error in colour or contours. The margin is 0 at the bound, and as many points below 0 at twice the bound. */
const TILE_POINTS = 15

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

type TileFigures = Pick<PromisedScores, 'tileColour' | 'contour'>
type TileMargins = Record<keyof TileFigures, number>

/** The bounds of a target, and conversions of figures to margins in points of SSIMULACRA 2.1: at least 0 where a bound is kept. */
const openBounds = (target: Target, density: Density) => {
  const lossy = target.kind === 'score' ? target : { preset: 'high' as const, score: 100 }
  const bounds = withMargins(boundsOf(lossy, density))
  const goal = bounds.ssimulacra
  const scoreAtBound = effectiveScore(bounds.butteraugli3)
  const tileMargins = ({ tileColour, contour }: TileFigures): TileMargins => ({
    tileColour: TILE_POINTS * (1 - tileColour / bounds.tileColour),
    contour: TILE_POINTS * (1 - contour / bounds.contour),
  })
  return {
    bounds,
    goal,
    tileMargins,
    /** The score as which a tile's colour and contours count: the goal where the worse of them is at its bound. */
    tileScore: (figures: TileFigures): number => goal + Math.min(...Object.values(tileMargins(figures))),
    butteraugliMargin: (distance: number): number => effectiveScore(distance) - scoreAtBound,
    /** Adds the broken bounds to an examination. A broken bound may have ended it before all bounds were measured. */
    report: (known: Omit<Examined, 'keeps' | 'broken'>): Examined => {
      const broken = [...brokenBounds(known.figures, bounds)]
      return { ...known, keeps: broken.length === 0, broken }
    },
  }
}

/** Returns a function that measures each candidate once. */
const measuredOnce = (measure: (candidate: AnyRaster) => Scores): ((candidate: AnyRaster) => Scores) => {
  // Weak, so that pixels of large candidates are freed before the next encode.
  const measured = new WeakMap<AnyRaster, Scores>()
  return (candidate) => {
    const scores = measured.get(candidate) ?? measure(candidate)
    measured.set(candidate, scores)
    return scores
  }
}

/**
 * Opens the measures of candidates of `pixels` against the bounds of `target`. `examinePart` does the same for a part of the image, and
 * counts its errors by the share of its busy pixels.
 */
export const openExaminer = (metrics: PerceptualMetrics, { pixels, target, density }: Examination): Examiner => {
  const { bounds, goal, tileMargins, tileScore, butteraugliMargin, report } = openBounds(target, density)
  const isReduced = target.kind === 'score' && target.reduced === true
  const asScored = (raster: AnyRaster): AnyRaster => (isReduced ? amongMirrorImages(raster) : raster)

  const open = (part: Raster, busy: number, boxes?: readonly Box[]): Disposable & Measures => {
    const reference = metrics.prepare(asScored(part), density, boxes)
    const measure = measuredOnce((candidate) => reference.measure(asScored(candidate)))
    const scoreOf = ({ ssimulacra }: Scores): number => 100 - (100 - ssimulacra) * busy ** BY_SHARE.score
    const countedScoreOf = (scores: Scores): number => countedScore(scoreOf(scores), scores.worstTileSsimulacra)
    const examine: Examine = (candidate, format = 'png', patience = FAILS_BY_SCORE) => {
      const scores = measure(candidate)
      const tiles = { tileColour: scores.tileColour, contour: countedContour(scores, format) }
      const byTiles = tileScore(tiles)
      if (patience < 0 && byTiles < goal)
        return report({ effective: byTiles, margins: tileMargins(tiles), figures: tiles })
      const [score, counted] = [scoreOf(scores), countedScoreOf(scores)]
      const cheap = { ssimulacra: counted - goal, ...tileMargins(tiles) }
      const lowest = Math.min(counted, byTiles >= goal ? 100 : byTiles)
      if (Math.min(...Object.values(cheap)) < -Math.max(0, patience))
        return report({ score, effective: lowest, margins: cheap, figures: { ssimulacra: counted, ...tiles } })
      const butteraugli = scores.butteraugli3 * busy ** BY_SHARE.norm
      const distance = countedDistance(butteraugli, scores.worstTileButteraugli)
      const margins = { ...cheap, butteraugli3: butteraugliMargin(distance) }
      const effective = Math.min(lowest, goal + margins.butteraugli3)
      const figures = { ssimulacra: counted, ...tiles, butteraugli3: distance }
      return report({ score, butteraugli, distance, effective, margins, figures })
    }
    return {
      examine,
      ssimulacra2: (candidate) => countedScoreOf(measure(candidate)),
      tileScore: (candidate) => tileScore(measure(candidate)),
      mostButteraugli: bounds.butteraugli3,
      [Symbol.dispose]: () => reference.free(),
    }
  }
  return { ...open(pixels, 1), examinePart: open }
}
