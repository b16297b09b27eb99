import type { SourceFacts } from '../core/image.ts'
import type { Plan } from '../plan/plan.ts'
import type { Spooled } from '../source/spool.ts'
import type { Admitted } from './accounts/admit.ts'
import type { OptimiseRequest } from './service.ts'

/** Everything that is known of one request when its work begins. */
export interface Task extends Pick<Admitted, 'account' | 'options' | 'warnings' | 'url' | 'maxTimeout'> {
  readonly request: OptimiseRequest
  readonly spooled: Spooled
  readonly facts: SourceFacts
  readonly plan: Plan
  /** Live delivery: ms after which a quick result will do, while the search goes on without the request (§8.2). */
  readonly soonMs?: number
  /** Milliseconds by stage; stages are added as they end. */
  readonly stages: Record<string, number>
}
