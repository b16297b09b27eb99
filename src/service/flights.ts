import { randomUUID } from 'node:crypto'
import { copyFile, link, mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Deadline } from '../core/deadline.ts'
import { Failure } from '../core/failure.ts'
import type { Made, Stages } from '../core/outcome.ts'
import { removeDirectory } from '../core/remove.ts'

/** A finished or best-so-far result with its bytes in memory. */
export interface Landed {
  readonly made: Made
  readonly body: Uint8Array
  readonly stages: Stages
}

/** What a flight gives to the work that it runs. */
export interface Cockpit {
  /** Path of the source, kept for as long as the work goes on. */
  readonly source: string
  /** Scratch directory, removed at the end. */
  readonly directory: string
  /** Ends with the deadline of whoever started the work, and when nobody waits any more. */
  readonly deadline: Deadline
  readonly offer: (made: Made) => void
  readonly stage: (name: string, ms: number) => void
}

export interface Flights {
  /**
   * Works on `key` once however many ask at the same time (single flight). Resolves with the final result, or at the
   * caller's own deadline with the best so far, or with undefined when there is nothing yet. Rejects with the work's failure.
   */
  readonly fly: (
    key: string,
    source: string,
    deadline: Deadline,
    work: (cockpit: Cockpit) => Promise<Made>,
  ) => Promise<Landed | undefined>
  readonly underWay: () => number
  /** Age in ms of the work that has been under way for longest; 0 when there is none. */
  readonly oldestMs: () => number
}

interface Flight {
  readonly done: Promise<Landed | undefined>
  readonly best: () => Promise<Landed | undefined>
  readonly abort: AbortController
  readonly starter: Deadline
  readonly since: number
  waiting: number
}

/** Less time than this is not worth starting over for, when someone else's shorter deadline cut the work short. */
const WORTH_ANOTHER_TRY_MS = 300

/** A child ends a little before its deadline: that it had nothing by then is the same as running out of time (§5.2). */
const endsInTime = (error: unknown): boolean => error instanceof Failure && error.code === 'WORK_TOO_SLOW'

const linkOrCopy = (from: string, to: string): Promise<void> => link(from, to).catch(() => copyFile(from, to))

/** Single-flight work in scratch directories under `directory`. */
export const openFlights = (directory: string): Flights => {
  const flights = new Map<string, Flight>()

  const start = (
    key: string,
    source: string,
    deadline: Deadline,
    work: (cockpit: Cockpit) => Promise<Made>,
  ): Flight => {
    const scratch = join(directory, `job-${randomUUID()}`)
    const abort = new AbortController()
    const signal = AbortSignal.any([deadline.signal, abort.signal])
    const stages: Record<string, number> = {}
    let offered: Made | undefined
    const land = async (made: Made): Promise<Landed> => ({
      made,
      body: await readFile(made.path),
      stages: { ...stages },
    })
    const best = async (): Promise<Landed | undefined> =>
      offered === undefined ? undefined : land({ ...offered, cutShort: true }).catch(() => undefined)
    const fly = async (): Promise<Landed | undefined> => {
      try {
        await mkdir(scratch, { recursive: true, mode: 0o700 })
        const own = join(scratch, 'source')
        await linkOrCopy(source, own)
        const made = await work({
          source: own,
          directory: scratch,
          deadline: { remaining: deadline.remaining, signal },
          offer: (better) => {
            offered = better
          },
          stage: (name, ms) => {
            stages[name] = (stages[name] ?? 0) + ms
          },
        })
        return await land(made)
      } catch (error) {
        if (!signal.aborted && !endsInTime(error)) throw error
        return await best()
      } finally {
        if (flights.get(key) === flight) flights.delete(key)
        await removeDirectory(scratch)
      }
    }
    const flight: Flight = {
      done: Promise.resolve().then(fly),
      best,
      abort,
      starter: deadline,
      since: performance.now(),
      waiting: 0,
    }
    flight.done.catch(() => undefined)
    flights.set(key, flight)
    return flight
  }

  const wait = async (flight: Flight, deadline: Deadline): Promise<Landed | undefined> => {
    flight.waiting += 1
    try {
      const ownEnd = Promise.withResolvers<'over'>()
      const over = (): void => ownEnd.resolve('over')
      if (deadline.signal.aborted) over()
      deadline.signal.addEventListener('abort', over, { once: true })
      const first = await Promise.race([flight.done, ownEnd.promise])
      deadline.signal.removeEventListener('abort', over)
      if (first !== 'over') return first
      // Whoever started the work ends it with this very deadline, so its best comes out by itself.
      return flight.starter === deadline ? await flight.done : await flight.best()
    } finally {
      flight.waiting -= 1
      if (flight.waiting === 0) flight.abort.abort(new Error('nobody waits for this work'))
    }
  }

  const fly: Flights['fly'] = async (key, source, deadline, work) => {
    const joined = flights.get(key)
    const landed = await wait(joined ?? start(key, source, deadline, work), deadline)
    const cutByAnother = joined !== undefined && (landed === undefined || landed.made.cutShort === true)
    return cutByAnother && deadline.remaining() > WORTH_ANOTHER_TRY_MS ? fly(key, source, deadline, work) : landed
  }

  return {
    fly,
    underWay: () => flights.size,
    oldestMs: () => Math.max(0, ...[...flights.values()].map(({ since }) => performance.now() - since)),
  }
}
