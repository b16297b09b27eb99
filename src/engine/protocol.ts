import type { FailureData } from '../core/failure.ts'
import type { Information } from '../core/information.ts'
import type { Job, Progress, ResultFile } from '../core/outcome.ts'
import type { Plan } from '../plan/plan.ts'

/** Argument of a child that must detect the end of its parent by itself. */
export const WATCH_PARENT = 'watch-parent'

/** A file in a job's directory. It stops the job: a child that computes receives no messages, but looks for the file between two trials. */
export const STOP_FILE = 'stop'

/**
 * Messages to a child. `job`: work on this job. `stop`: end it soon, since no client waits for it. `limit`: other jobs wait, so the running
 * or the next job may take `ms` from now; without `ms` it may take all of its time.
 */
export type ToChild =
  | { readonly kind: 'job'; readonly job: Job<Plan> }
  | { readonly kind: 'stop' }
  | { readonly kind: 'limit'; readonly ms?: number }

/** Stages that ended since the last message with stages, in ms. They need no messages of their own, which would cost both processes time. */
interface WithStages {
  readonly stages: readonly { readonly name: string; readonly ms: number }[]
}

/** The end of a job. */
export type End =
  | { readonly kind: 'done'; readonly result: ResultFile }
  | { readonly kind: 'inspected'; readonly information: Information }
  | { readonly kind: 'failed'; readonly failure: FailureData }
  | { readonly kind: 'fault'; readonly message: string }

/**
 * The last message of a job. `memory`: resident bytes of the child after the job. `isSpent`: the child still runs work that it cannot stop,
 * so the pool must replace it.
 */
export type LastWord = End & WithStages & { readonly memory: number; readonly isSpent?: true }

/** Messages from a child. Every job ends with exactly one {@link LastWord}, or with the child's exit. */
export type ToParent =
  | { readonly kind: 'ready' }
  | { readonly kind: 'progress'; readonly progress: Progress }
  | ({ readonly kind: 'offer'; readonly result: ResultFile } & WithStages)
  | { readonly kind: 'notice'; readonly message: string }
  | LastWord
