import type { SourceFacts } from '../core/image.ts'
import type { Plan } from '../plan/plan.ts'
import type { Spooled } from '../source/spool.ts'
import type { Admitted } from './accounts/admit.ts'
import type { OptimiseRequest } from './service.ts'

/** A request with its source and plan. */
export interface Task extends Pick<Admitted, 'account' | 'options' | 'warnings' | 'url' | 'maxTimeout'> {
  readonly request: OptimiseRequest
  readonly spooled: Spooled
  readonly facts: SourceFacts
  readonly plan: Plan
  /** Live delivery: ms after which a quick result is accepted, while the search continues (§8.2). */
  readonly quickAfterMs?: number
  /** ms by stage. Each stage is added when it ends. */
  readonly stages: Record<string, number>
}
