/** Plans for a result that exceeds `max-bytes=` at its preset: a lower score first, then a smaller size, then both below `low`. */

import type { Extent } from '../core/image.ts'
import { cssPx, type Density } from '../core/units.ts'
import type { Resize } from '../options/options.ts'
import { densityOf, type Plan, type Target } from './plan.ts'
import { type LossyPreset, targetScore } from './targets.ts'

/** The lowest score at which a small photograph is legible: set by eye on thumbnails of 50 px (lab/metric.md). */
export const LEGIBLE_SCORE = 30

type ScoreTarget = Extract<Target, { kind: 'score' }>

/** In descending order. */
const LOSSY: readonly LossyPreset[] = ['high', 'medium', 'low']

/** The range of SSIMULACRA scores for the search: from that of `low` to the plan's own. A lossless plan's is that of `high`. */
export const scoreRange = (plan: Plan): { readonly min: number; readonly max: number } => {
  const density = densityOf(plan)
  const min = targetScore('low', density)
  const max = plan.target.kind === 'score' ? plan.target.score : targetScore('high', density)
  return { min, max: Math.max(min, max) }
}

const presetAt = (score: number, density: Density): LossyPreset =>
  LOSSY.find((preset) => targetScore(preset, density) <= score) ?? 'low'

/** The plan with a lower target. It may change the pixels of a source that is a result of ours, since they do not fit. */
export const atScore = (plan: Plan, score: number): Plan & { readonly target: ScoreTarget } => {
  const { keepsPixels: _kept, ...rest } = plan
  const spent = plan.target.kind === 'score' && plan.target.spent !== undefined ? { spent: plan.target.spent } : {}
  const target: ScoreTarget = { kind: 'score', score, preset: presetAt(score, densityOf(plan)), ...spent }
  return { ...rest, target }
}

const scaledResize = (resize: Resize, result: Extent, scale: number): Resize => {
  const isExact = resize.kind === 'box' && (resize.method.kind === 'crop' || resize.method.kind === 'pad')
  const density = resize.kind === 'box' ? resize.density : 1
  const side = (px: number) => cssPx(Math.max(1, Math.round(px * scale)))
  if (isExact)
    return { ...resize, width: side(resize.width ?? result.width), height: side(resize.height ?? result.height) }
  return {
    kind: 'box',
    width: side(result.width / density),
    height: side(result.height / density),
    density,
    method: { kind: 'scale-down' },
  }
}

/** How far a plan is reduced. */
export interface Reduction {
  /** Share of each side. */
  readonly scale: number
  /** Share of the way from the score of `low` to the lowest legible one. */
  readonly below: number
}

/** The plan at the score of `low` or less and at a part of the size of `result`, a result of the plan. */
export const atReduction = (plan: Plan, result: Extent, { scale, below }: Reduction): Plan => {
  const low = scoreRange(plan).min
  const { spent: _spent, target, ...lowest } = atScore(plan, low - below * (low - LEGIBLE_SCORE))
  return {
    ...lowest,
    target: { ...target, reduced: true },
    resize: scaledResize(plan.resize, result, scale),
    neverLarger: false,
    mayGrow: false,
  }
}

/** The Warning about a result that meets the budget with a lower quality or size than requested. */
export const budgetWarning = (budget: number, how: { readonly score?: number; readonly size?: Extent }): string => {
  const size = how.size === undefined ? '' : ` and the size to ${how.size.width}x${how.size.height} px`
  const score = how.score === undefined ? '' : ` to a score of ${Math.round(how.score)}`
  return `max-bytes=${budget} lowered the quality${score}${size}.`
}

/** The Warning about a result that exceeds the budget. */
export const overBudgetWarning = (budget: number, bytes: number): string =>
  `max-bytes=${budget} could not be kept: this is the smallest result, of ${bytes} bytes.`
