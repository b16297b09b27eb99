import type { Job, ResultFile } from '../../core/outcome.ts'
import type { Plan } from '../../plan/plan.ts'
import { withinBudget } from './budget.ts'
import { optimiseMarkup } from './markup.ts'
import type { Report } from './report.ts'
import { credentialWarnings } from './rights.ts'
import { optimiseStill } from './still.ts'

const optimiseAny = async (job: Job<Plan>, report: Report): Promise<ResultFile> => {
  if (job.plan.formats[0] === 'svg') return optimiseMarkup(job, report)
  if (!job.plan.animated) return optimiseStill(job, report)
  // Loaded on demand: it needs 90 ms of CPU, and most children never process an animation.
  const { optimiseMoving } = await import('./moving.ts')
  return optimiseMoving(job, report)
}

/** Runs a plan in a child process, from decoding on. Offers each better result, and returns the best one. */
export const optimise = async (job: Job<Plan>, report: Report): Promise<ResultFile> => {
  const warnings = await credentialWarnings(job)
  const result = await withinBudget(job, report, optimiseAny)
  return warnings.length === 0 ? result : { ...result, warnings: [...result.warnings, ...warnings] }
}
