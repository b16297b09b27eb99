import { readFileSync, writeFileSync } from 'node:fs'
import { withMark } from '../../containers/mark/mark.ts'
import type { ResultMark } from '../../core/image.ts'
import type { Job, ResultFile } from '../../core/outcome.ts'
import { densityOf, type Plan } from '../../plan/plan.ts'
import { boundsFor } from '../../plan/targets.ts'
import type { Complete } from './best-result.ts'

type Loss = Pick<ResultFile, 'score' | 'butteraugli' | 'untouched'> & { readonly exact?: true }

/** Returns the mark of a result: its own loss plus that of its source. Returns undefined for the exact pixels of an unmarked source. An unmeasured bound counts as fully used. */
const markOf = (plan: Plan, { score, butteraugli, untouched, exact }: Loss): ResultMark | undefined => {
  const { spent } = plan
  if (untouched === true || exact === true) return spent
  const level = plan.target.kind === 'score' ? plan.target.preset : 'high'
  const density = densityOf(plan)
  const bounds = boundsFor(level, density)
  return {
    level,
    density,
    loss: (spent?.loss ?? 0) + 100 - (score ?? bounds.ssimulacra),
    distance: (spent?.distance ?? 0) + (butteraugli ?? bounds.butteraugli3),
  }
}

/** Adds the mark to each still result. */
export const openMark =
  ({ plan }: Job<Plan>): Complete =>
  async (entry) =>
    withMark(entry.format, entry.data, markOf(plan, entry))

/** Adds the mark to a written animation. Synchronous, so that it is complete before the offer. */
export const markMoving = ({ plan }: Job<Plan>, result: ResultFile): ResultFile => {
  const bare = readFileSync(result.path)
  const isExact = plan.target.kind === 'lossless' || result.score === 100
  const marked = withMark(result.format, bare, markOf(plan, { ...result, ...(isExact ? { exact: true } : {}) }))
  if (marked === bare) return result
  const path = `${result.path}-marked`
  writeFileSync(path, marked)
  return { ...result, path, bytes: marked.length }
}
