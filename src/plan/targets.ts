import type { Density } from '../core/units.ts'
import type { Preset } from '../options/options.ts'
import type { Spent } from './plan.ts'

export type LossyPreset = Exclude<Preset, 'lossless'>

/** The bounds of a preset. Each figure of a result must be within its bound. */
export interface Bounds {
  /** Minimum SSIMULACRA 2.1. */
  readonly ssimulacra: number
  /** Maximum 3-norm of Butteraugli at 80 nits. */
  readonly butteraugli3: number
  /** Maximum colour shift (CIEDE2000) of the mean of any tile of 16 x 16 px as seen. */
  readonly tileColour: number
  /** Maximum false contour or block edge in any tile of 32 px as seen where the source is smooth, in sample values of a straight step. */
  readonly contour: number
}

/** The bounds of each preset at 1x (§3.1). No other file defines them. Contours: invisible at arm's length (low), at 100 % without searching (medium), at 200 % (high). */
export const PROMISES: Readonly<Record<LossyPreset, Bounds>> = {
  low: { ssimulacra: 55, butteraugli3: 2.4, tileColour: 8, contour: 5 },
  medium: { ssimulacra: 70, butteraugli3: 1.5, tileColour: 4, contour: 2.5 },
  high: { ssimulacra: 85, butteraugli3: 0.75, tileColour: 2, contour: 1.25 },
}

/** The score of each preset at 1x. */
export const PRESET_SCORES: Readonly<Record<LossyPreset, number>> = {
  low: PROMISES.low.ssimulacra,
  medium: PROMISES.medium.ssimulacra,
  high: PROMISES.high.ssimulacra,
}

/** Factor on the bound of Butteraugli by density. A dense screen hides artefacts (§2, density). */
const BUTTERAUGLI_FACTORS: Readonly<Record<Density, number>> = { 1: 1, 2: 1.35, 3: 1.5 }

/** Points of SSIMULACRA by which the target is lower, by density. */
const SCORE_RELIEF: Readonly<Record<Density, number>> = { 1: 0, 2: 8, 3: 12 }

/** The lowest target score at any density. */
const MIN_TARGET = 45

/** The target score of a preset at a density. */
export const targetScore = (preset: LossyPreset, density: Density): number =>
  Math.max(MIN_TARGET, PRESET_SCORES[preset] - SCORE_RELIEF[density])

/** The bounds of a preset at a density. Tiles have the size that is seen, so their bounds do not depend on it. */
export const boundsFor = (preset: LossyPreset, density: Density): Bounds => ({
  ...PROMISES[preset],
  ssimulacra: targetScore(preset, density),
  butteraugli3: PROMISES[preset].butteraugli3 * BUTTERAUGLI_FACTORS[density],
})

/** Rows of [upper end of targets, margin]. The margin is how far the reference tool's fp32 filter can score below the exact metric. */
const MARGINS: readonly (readonly [below: number, margin: number])[] = [
  [75, 0.25],
  [82, 0.4],
  [88, 0.9],
  [Infinity, 1.1],
]

/** Points by which a score of the exact metric must exceed its target, so that the reference tool confirms it. */
export const marginFor = (target: number): number => MARGINS.find(([below]) => target < below)?.[1] ?? 1.1

/** The score of the exact metric that a search aims at. */
export const goalFor = (target: number): number => target + marginFor(target)

/** Factor on the bound of Butteraugli. Ours differs from the reference tool's by 0.1 % on photographs, by 0.4 % in the mean square of all recorded pairs. */
const BUTTERAUGLI_MARGIN = 0.995

/** The bounds for a search. They are narrower, so that the reference tools confirm the promised ones. */
export const withMargins = (bounds: Bounds): Bounds => ({
  ...bounds,
  ssimulacra: goalFor(bounds.ssimulacra),
  butteraugli3: bounds.butteraugli3 * BUTTERAUGLI_MARGIN,
})

/** Points above the target below which a lossy source's own loss adds visibly to another one. */
const VISIBLE_LOSS_POINTS = 10
/** A re-encode with this score against its source adds no visible loss. */
export const NO_SECOND_LOSS = 80

/**
 * The score that a re-encode must reach against an already lossy source (§3.2). Such a score does not include the source's own loss.
 * When that loss is near the target, the re-encode must not add a visible one.
 */
export const requiredAgainstLossy = (preset: LossyPreset, density: Density, ownScore: number): number => {
  const target = targetScore(preset, density)
  return ownScore >= target + VISIBLE_LOSS_POINTS ? target : Math.max(target, NO_SECOND_LOSS - SCORE_RELIEF[density])
}

/** Interpolates linearly through points, and extrapolates from the first and the last two. */
const interpolate = (points: readonly (readonly [number, number])[], x: number): number => {
  const after = points.findIndex(([at], index) => index > 0 && x <= at)
  const end = after === -1 ? points.length - 1 : after
  const [[x0, y0], [x1, y1]] = [points[end - 1]!, points[end]!]
  return y0 + ((x - x0) / (x1 - x0)) * (y1 - y0)
}

const LOG_BOUNDS = Object.values(PROMISES).map(
  ({ ssimulacra, butteraugli3 }) => [ssimulacra, Math.log(butteraugli3)] as const,
)
const BY_LOG = LOG_BOUNDS.map(([score, log]) => [log, score] as const).reverse()

/** The maximum 3-norm of Butteraugli for a target score. Between the presets its logarithm is linear. */
export const butteraugliBound = (target: number): number => Math.exp(interpolate(LOG_BOUNDS, target))

/** The target score whose bound equals a 3-norm of Butteraugli: 1.5 gives 70. At most 100. */
export const effectiveScore = (norm: number): number =>
  norm <= 0 ? 100 : Math.min(100, interpolate(BY_LOG, Math.log(norm)))

/** The rest of the bounds after a source's own loss. */
const withoutSpent = (bounds: Bounds, spent: Spent | undefined): Bounds =>
  spent === undefined
    ? bounds
    : {
        ...bounds,
        butteraugli3: Math.max(0, bounds.butteraugli3 - spent.butteraugli3),
        tileColour: Math.max(0, bounds.tileColour - spent.tileColour),
        contour: Math.max(0, bounds.contour - spent.contour),
      }

/** The bounds of a score below that of `low`: distances grow with each point as they do from `medium` to `low`. */
const belowLow = (low: Bounds, score: number): Bounds => {
  const steps = (low.ssimulacra - score) / (PROMISES.medium.ssimulacra - PROMISES.low.ssimulacra)
  const grown = (bound: Exclude<keyof Bounds, 'ssimulacra'>): number =>
    low[bound] * (PROMISES.low[bound] / PROMISES.medium[bound]) ** steps
  return {
    ssimulacra: score,
    butteraugli3: grown('butteraugli3'),
    tileColour: grown('tileColour'),
    contour: grown('contour'),
  }
}

/** The bounds of a target at a density. A target that was raised for a lossy source raises the bounds of both metrics. */
export const boundsOf = (
  { preset, score, spent }: { readonly preset: LossyPreset; readonly score: number; readonly spent?: Spent },
  density: Density,
): Bounds => {
  const usual = withoutSpent(boundsFor(preset, density), spent)
  if (score <= usual.ssimulacra) return belowLow(usual, score)
  return { ...usual, ssimulacra: score, butteraugli3: Math.min(usual.butteraugli3, butteraugliBound(score)) }
}
