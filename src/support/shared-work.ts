import { OVER, raceSignal } from './race.ts'

/** Runs work once for all concurrent callers. */
export interface SharedWork<Result> {
  /** Joins the work under `key`, or starts it. Fails with the reason of `signal`. When the last caller has left, the work is stopped. */
  readonly join: (key: string, signal: AbortSignal, work: (signal: AbortSignal) => Promise<Result>) => Promise<Result>
  /** Resolves when no work is running, including stopped work. */
  readonly idle: () => Promise<void>
}

interface Running<Result> {
  readonly result: Promise<Result>
  readonly abort: AbortController
  waiting: number
}

/** Opens shared work for one kind of result. */
export const openSharedWork = <Result>(): SharedWork<Result> => {
  const running = new Map<string, Running<Result>>()
  const underWay = new Set<Promise<unknown>>()

  const start = (key: string, work: (signal: AbortSignal) => Promise<Result>): Running<Result> => {
    const abort = new AbortController()
    const result = work(abort.signal).finally(() => {
      if (running.get(key) === started) running.delete(key)
      underWay.delete(result)
    })
    underWay.add(result)
    // Callers receive the error through their own race. There may be none left.
    result.catch(() => undefined)
    const started = { result, abort, waiting: 0 }
    running.set(key, started)
    return started
  }

  return {
    join: async (key, signal, work) => {
      const one = running.get(key) ?? start(key, work)
      one.waiting += 1
      try {
        const first = await raceSignal(one.result, signal)
        if (first === OVER) throw signal.reason
        return first
      } finally {
        one.waiting -= 1
        if (one.waiting === 0) {
          // Stopped work cannot be joined.
          if (running.get(key) === one) running.delete(key)
          one.abort.abort(new Error('no caller waits for this work'))
        }
      }
    },
    idle: async () => {
      await Promise.allSettled(underWay)
    },
  }
}
