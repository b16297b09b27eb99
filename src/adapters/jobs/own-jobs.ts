import { MAX_REMEMBERED, OUTCOME_MS } from '../../core/intervals.ts'
import type { JobEnd, JobTicket } from '../../ports/jobs.ts'
import type { JobStatuses } from './job-statuses.ts'

/** Jobs that this node has accepted. Keeps what Redis may lose, and repeats failed writes. */
export interface OwnJobs {
  /** Writes a job. Fails with STORE_AWAY; {@link OwnJobs.repeat} then writes it later. */
  readonly announce: (ticket: JobTicket) => Promise<void>
  /** Writes the end of a job. Never fails: {@link OwnJobs.repeat} retries it. */
  readonly end: (token: string, end: JobEnd) => Promise<void>
  /** Repeats all failed writes, or every write if Redis has lost its data (`isForgotten`). Fails with STORE_AWAY. */
  readonly repeat: (isForgotten: boolean) => Promise<void>
}

/** Remembers ends of jobs for two hours. Omits jobs with a stored image, which shows their end. */
const openEnds = () => {
  const ends = new Map<string, { readonly end: JobEnd; readonly at: number }>()
  const isExpired = ({ at }: { readonly at: number }): boolean => Date.now() - at > OUTCOME_MS
  return {
    add: (token: string, end: JobEnd): void => {
      if (end.kind === 'stored') return
      ends.set(token, { end, at: Date.now() })
      for (const [oldest, one] of ends) {
        if (ends.size <= MAX_REMEMBERED && !isExpired(one)) break
        ends.delete(oldest)
      }
    },
    all: (): readonly (readonly [string, JobEnd])[] => [...ends].map(([token, { end }]) => [token, end]),
  }
}

/** Opens the jobs of this node. `add` adds a job to the queue in Redis. */
export const openOwnJobs = (statuses: JobStatuses, add: (ticket: JobTicket) => Promise<void>): OwnJobs => {
  const unfinished = new Map<string, JobTicket>()
  /** Tokens of jobs, and ends of jobs, that Redis does not have yet. */
  const unannounced = new Set<string>()
  const unpublished = new Map<string, JobEnd>()
  const ends = openEnds()

  const write = async (ticket: JobTicket): Promise<void> => {
    const { token } = ticket
    unannounced.add(token)
    await statuses.begin(token)
    await add(ticket)
    unannounced.delete(token)
  }
  const publish = async (token: string, end: JobEnd): Promise<void> => {
    await statuses.writeEnd(token, end)
    unpublished.delete(token)
    await statuses.notifyEnd(token)
  }
  return {
    announce: async (ticket) => {
      unfinished.set(ticket.token, ticket)
      await write(ticket)
    },
    end: async (token, end) => {
      unfinished.delete(token)
      ends.add(token, end)
      await publish(token, end).catch(() => unpublished.set(token, end))
    },
    repeat: async (isForgotten) => {
      if (isForgotten) {
        for (const token of unfinished.keys()) unannounced.add(token)
        for (const [token, end] of ends.all()) unpublished.set(token, end)
      }
      for (const token of unannounced) {
        const ticket = unfinished.get(token)
        if (ticket === undefined) unannounced.delete(token)
        else await write(ticket)
      }
      for (const [token, end] of unpublished) await publish(token, end)
    },
  }
}
