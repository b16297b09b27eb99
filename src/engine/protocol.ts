import type { FailureData } from '../core/failure.ts'
import type { Job, Made, Progress } from '../core/outcome.ts'
import type { Plan } from '../plan/plan.ts'

/** What a parent tells a child. */
export type ToChild = { readonly kind: 'job'; readonly job: Job<Plan> }

/** What a child tells its parent; every job ends with exactly one `done`, `failed` or `fault`, or with the child's death. */
export type ToParent =
  | { readonly kind: 'ready' }
  | { readonly kind: 'stage'; readonly name: string; readonly ms: number }
  | { readonly kind: 'progress'; readonly progress: Progress }
  | { readonly kind: 'offer'; readonly made: Made }
  | { readonly kind: 'notice'; readonly message: string }
  | { readonly kind: 'done'; readonly made: Made; readonly memory: number }
  | { readonly kind: 'failed'; readonly failure: FailureData; readonly memory: number }
  | { readonly kind: 'fault'; readonly message: string; readonly memory: number }
