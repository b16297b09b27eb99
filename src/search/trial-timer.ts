import { type Budget, lacksTimeFor } from './budget.ts'

/** How the duration of the next trial follows from those before. */
export interface TrialPace {
  /** ms that must remain after a trial. */
  readonly reserve: number
  /** Factor on the last trial's ms. */
  readonly factor: number
  /** Factor on the ms that were expected of the last trial: 0 forgets earlier trials, 1 keeps the longest. */
  readonly memory: number
}

/** Returns a function that does work of one trial, or returns `instead` if less time is left than a trial and the reserve take. */
export const openTrialTimer = (
  request: Pick<Budget, 'deadline'> & { readonly outOfTime: () => void },
  { reserve, factor, memory }: TrialPace,
): (<Value>(work: () => Value, instead: Value) => Value) => {
  let expected = 0
  return (work, instead) => {
    if (lacksTimeFor(request, reserve + expected)) return instead
    const since = performance.now()
    const value = work()
    expected = Math.max(expected * memory, (performance.now() - since) * factor)
    return value
  }
}
