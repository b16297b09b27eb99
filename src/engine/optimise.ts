import type { Job, Made } from '../core/outcome.ts'
import { optimiseAnimation } from '../motion/optimise-animation.ts'
import type { Plan } from '../plan/plan.ts'
import { optimiseMarkup } from './markup.ts'
import type { Report } from './report.ts'
import { optimiseStill } from './still.ts'

/** Runs a plan: everything from the decoding on, in a child process. Ever better results are offered on the way; the last is returned. */
export const optimise = async (job: Job<Plan>, report: Report): Promise<Made> => {
  if (job.plan.formats[0] === 'svg') return optimiseMarkup(job, report)
  if (job.plan.animated) return optimiseAnimation({ ...job, ...report })
  return optimiseStill(job, report)
}
