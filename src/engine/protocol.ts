import type { FailureData } from '../core/failure.ts'
import type { Information } from '../core/information.ts'
import type { Job, Made, Progress } from '../core/outcome.ts'
import type { Plan } from '../plan/plan.ts'

/** Argument of a child that has to see for itself when its parent is no more. */
export const WATCH_PARENT = 'watch-parent'

/**
 * File in a job's directory that says that no client waits for it any more. A child that computes receives no messages, but looks for
 * the file between two trials.
 */
export const STOP_FILE = 'stop'

/**
 * Messages to a child: work on a job; end it soon, because no client waits for it any more; take no more than `ms` from now for the job at work or the next
 * one, because others wait for their part of the time. Without `ms` the job has all of its time.
 */
export type ToChild =
  | { readonly kind: 'job'; readonly job: Job<Plan> }
  | { readonly kind: 'stop' }
  | { readonly kind: 'share'; readonly ms?: number }

/** Stages of the work that ended since the last message that had any, in ms: each message costs both sides. */
interface WithStages {
  readonly stages: readonly { readonly name: string; readonly ms: number }[]
}

/** The end of a job. */
export type End =
  | { readonly kind: 'done'; readonly made: Made }
  | { readonly kind: 'inspected'; readonly information: Information }
  | { readonly kind: 'failed'; readonly failure: FailureData }
  | { readonly kind: 'fault'; readonly message: string }

/**
 * The last word on a job. `memory`: resident bytes of the child after it. `isSpent`: the child still works at something that
 * cannot be stopped, and has to be replaced.
 */
export type LastWord = End & WithStages & { readonly memory: number; readonly isSpent?: true }

/** Messages of a child; every job ends with exactly one {@link LastWord}, or with the child's death. */
export type ToParent =
  | { readonly kind: 'ready' }
  | { readonly kind: 'progress'; readonly progress: Progress }
  | ({ readonly kind: 'offer'; readonly made: Made } & WithStages)
  | { readonly kind: 'notice'; readonly message: string }
  | LastWord
