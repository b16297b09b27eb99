import type { Flight, Jobs, Work } from '../../ports/jobs.ts'

interface Job<T> {
  readonly begun: number
  readonly outcome: Promise<T>
  readonly abort: (reason: unknown) => void
  soFar: T | undefined
  waiters: number
  detached: boolean
}

/** The signal's reason as a promise, and how to stop listening. */
const left = (leaving: AbortSignal): { readonly promise: Promise<never>; readonly stop: () => void } => {
  const { promise, reject } = Promise.withResolvers<never>()
  const onAbort = () => reject(leaving.reason)
  leaving.addEventListener('abort', onAbort, { once: true })
  if (leaving.aborted) onAbort()
  return { promise, stop: () => leaving.removeEventListener('abort', onAbort) }
}

/** Work under way in this process. `now` is in ms. */
export const openInProcessJobs = <T>({ now = () => performance.now() } = {}): Jobs<T> => {
  const jobs = new Map<string, Job<T>>()

  const end = (key: string, job: Job<T>): void => {
    if (jobs.get(key) === job) jobs.delete(key)
  }

  const begin = (key: string, work: Work<T>): Job<T> => {
    const controller = new AbortController()
    const offer = (soFar: T): void => {
      job.soFar = soFar
    }
    const job: Job<T> = {
      begun: now(),
      // A turn later, so that work that throws at once or offers at once finds its job.
      outcome: Promise.resolve().then(() => work(controller.signal, offer)),
      abort: (reason) => controller.abort(reason),
      soFar: undefined,
      waiters: 0,
      detached: false,
    }
    jobs.set(key, job)
    job.outcome.then(
      () => end(key, job),
      () => end(key, job), // Told to the waiters; when all have left, it is nobody's concern any more.
    )
    return job
  }

  const wait = (key: string, job: Job<T>, leaving: AbortSignal): Promise<T> => {
    job.waiters += 1
    const departure = left(leaving)
    const promise = Promise.race([job.outcome, departure.promise]).finally(() => {
      departure.stop()
      job.waiters -= 1
      if (job.waiters > 0 || job.detached || jobs.get(key) !== job) return
      // Gone from the table first: whoever asks now must not join what is being aborted.
      end(key, job)
      job.abort(leaving.reason)
    })
    promise.catch(() => undefined) // A waiter may look only at `soFar`.
    return promise
  }

  const flight = (key: string, job: Job<T>, leaving: AbortSignal): Omit<Flight<T>, 'joined'> => ({
    promise: wait(key, job, leaving),
    soFar: () => job.soFar,
  })

  return {
    run: (key, work, leaving) => {
      const known = jobs.get(key)
      return { joined: known !== undefined, ...flight(key, known ?? begin(key, work), leaving) }
    },
    join: (key, leaving) => {
      const job = jobs.get(key)
      return job && { joined: true, ...flight(key, job, leaving) }
    },
    detach: (key) => {
      const job = jobs.get(key)
      if (job !== undefined) job.detached = true
      return job !== undefined
    },
    underWay: () => {
      const all = [...jobs.values()]
      return {
        all: all.length,
        detached: all.filter((job) => job.detached).length,
        oldestMs: all.reduce((oldest, job) => Math.max(oldest, now() - job.begun), 0),
      }
    },
    drain: async (impatience) => {
      const abortAll = () => {
        for (const job of jobs.values()) job.abort(impatience?.reason)
      }
      if (impatience?.aborted) abortAll()
      impatience?.addEventListener('abort', abortAll)
      while (jobs.size > 0) await Promise.allSettled([...jobs.values()].map((job) => job.outcome))
      impatience?.removeEventListener('abort', abortAll)
    },
  }
}
