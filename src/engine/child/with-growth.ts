import type { Job, ResultFile } from '../../core/outcome.ts'
import type { Plan } from '../../plan/plan.ts'
import { growthWarning, withWarning } from '../../plan/winner.ts'

/** Adds a Warning to a finished file, with rights and mark, that is larger than its source. */
export const withGrowth = ({ plan, facts }: Job<Plan>, result: ResultFile): ResultFile =>
  withWarning(result, growthWarning(plan, facts, result))
