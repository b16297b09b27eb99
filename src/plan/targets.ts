import type { Density } from '../core/units.ts'
import type { Preset } from '../options/options.ts'

export type LossyPreset = Exclude<Preset, 'lossless'>

/** What is promised of a result: no figure is worse than its bound. */
export interface Bounds {
  /** SSIMULACRA 2.1, at least. */
  readonly ssimulacra: number
  /** Butteraugli's 3-norm at 80 nits, at most. */
  readonly butteraugli3: number
  /** Colour shift (CIEDE2000) of the mean of any tile of 16 x 16 px as seen, at most. */
  readonly tileColour: number
  /** False contours and block edges of any tile of 32 px as seen, where the source is smooth, in sample values of a straight step; at most. */
  readonly contour: number
}

/** What a preset promises at 1x (§3.1). The one place where it is said. Contours: none at arm's length, none at 100 % without looking for it, none at 200 %. */
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

/** A dense screen hides artefacts (§2, density): by so many times Butteraugli's distance may be larger. */
const DENSITY_DISTANCE: Readonly<Record<Density, number>> = { 1: 1, 2: 1.35, 3: 1.5 }

/** By so much the score may be lower. */
const DENSITY_RELIEF: Readonly<Record<Density, number>> = { 1: 0, 2: 8, 3: 12 }

/** No relief goes below this. */
const LOWEST_TARGET = 45

/** The score that a preset asks for at a density. */
export const targetScore = (preset: LossyPreset, density: Density): number =>
  Math.max(LOWEST_TARGET, PRESET_SCORES[preset] - DENSITY_RELIEF[density])

/** What a preset promises at a density. Tiles are of the size that is seen, so their bounds stay. */
export const boundsFor = (preset: LossyPreset, density: Density): Bounds => ({
  ...PROMISES[preset],
  ssimulacra: targetScore(preset, density),
  butteraugli3: PROMISES[preset].butteraugli3 * DENSITY_DISTANCE[density],
})

/** Rows of [score below which it holds, margin]: how far the reference tool's fp32 filter can score below the exact metric. */
const MARGINS: readonly (readonly [below: number, margin: number])[] = [
  [75, 0.25],
  [82, 0.4],
  [88, 0.9],
  [Infinity, 1.1],
]

/** By how much a score of the exact metric must exceed its target so that the reference tool confirms it. */
export const marginFor = (target: number): number => MARGINS.find(([below]) => target < below)?.[1] ?? 1.1

/** The score by the exact metric that a target is searched to. */
export const goalFor = (target: number): number => target + marginFor(target)

/** Our Butteraugli and the reference tool's differ by 0.1 % on photographs, by 0.4 % in the mean square of all recorded pairs. */
const DISTANCE_MARGIN = 0.995

/** The bounds that a search holds to, so that the reference tools confirm what is promised. */
export const withMargins = (bounds: Bounds): Bounds => ({
  ...bounds,
  ssimulacra: goalFor(bounds.ssimulacra),
  butteraugli3: bounds.butteraugli3 * DISTANCE_MARGIN,
})

/** A lossy source whose own score is not this far above the target shows its first loss next to a second one. */
const HEADROOM = 10
/** A re-encode that scores this against its source adds no visible loss. */
const NO_SECOND_LOSS = 80

/**
 * The score that a re-encode must reach against an already lossy source (§3.2). A score against such a source says
 * nothing of the first loss; where that loss is near the target, nothing visible may be added to it.
 */
export const requiredAgainstLossy = (preset: LossyPreset, density: Density, ownScore: number): number => {
  const target = targetScore(preset, density)
  return ownScore >= target + HEADROOM ? target : Math.max(target, NO_SECOND_LOSS - DENSITY_RELIEF[density])
}

/** Straight lines through points, the first and last of which go on beyond them. */
const along = (points: readonly (readonly [number, number])[], x: number): number => {
  const after = points.findIndex(([at], index) => index > 0 && x <= at)
  const end = after === -1 ? points.length - 1 : after
  const [[x0, y0], [x1, y1]] = [points[end - 1]!, points[end]!]
  return y0 + ((x - x0) / (x1 - x0)) * (y1 - y0)
}

const LOG_BOUNDS = Object.values(PROMISES).map(
  ({ ssimulacra, butteraugli3 }) => [ssimulacra, Math.log(butteraugli3)] as const,
)
const BY_LOG = LOG_BOUNDS.map(([score, log]) => [log, score] as const).reverse()

/** The largest Butteraugli 3-norm that goes with a target score; between the presets it falls evenly in its logarithm. */
export const butteraugliBound = (target: number): number => Math.exp(along(LOG_BOUNDS, target))

/** The target score that a Butteraugli 3-norm would just keep: 1.5 counts as 70. At most 100. */
export const effectiveScore = (norm: number): number => (norm <= 0 ? 100 : Math.min(100, along(BY_LOG, Math.log(norm))))

/** What is promised of a target at a density. One that was raised, for a source that lost something already, raises both metrics. */
export const boundsOf = (
  { preset, score }: { readonly preset: LossyPreset; readonly score: number },
  density: Density,
): Bounds => {
  const usual = boundsFor(preset, density)
  if (score <= usual.ssimulacra) return { ...usual, ssimulacra: score }
  return { ...usual, ssimulacra: score, butteraugli3: Math.min(usual.butteraugli3, butteraugliBound(score)) }
}
