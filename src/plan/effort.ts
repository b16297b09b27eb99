import type { Effort } from '../core/effort.ts'
import type { Plan } from './plan.ts'

/** A plan at an effort. Plans of the usual effort name none. */
export const atEffort = (plan: Plan, effort: Effort): Plan => {
  const { effort: _before, ...rest } = plan
  return effort === 'more' ? { ...rest, effort } : rest
}

/** Whether a plan whose result has `format` at its own effort can take fewer bytes at `effort`. */
export const canImprove = (plan: Plan, effort: Effort, format: string): boolean =>
  effort === 'more' &&
  plan.effort === undefined &&
  !plan.animated &&
  plan.target.kind === 'score' &&
  plan.keepsPixels !== true &&
  (format === 'webp' || format === 'avif')
