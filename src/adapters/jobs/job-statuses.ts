import { CHECK_MS, OUTCOME_MS } from '../../core/intervals.ts'
import type { JobEnd } from '../../ports/jobs.ts'
import type { NodeEvents } from './node-events.ts'
import type { RedisLink } from './redis.ts'
import type { Seal } from './seal.ts'

/** The status of each job as a key of Redis: empty while the job runs, then its sealed end. All methods fail with STORE_AWAY. */
export interface JobStatuses {
  /** Marks a job as running, unless it has a status. */
  readonly begin: (token: string) => Promise<void>
  readonly writeEnd: (token: string, end: JobEnd) => Promise<void>
  /** Wakes the nodes that wait for the end of a job. */
  readonly notifyEnd: (token: string) => Promise<void>
  readonly read: (token: string) => Promise<JobEnd | 'under way' | 'unknown'>
  /** Resolves at the end of a job, after a second, or when `signal` fires. */
  readonly whenEnded: (token: string, signal: AbortSignal) => Promise<void>
}

/** Settings that the parts of the queue share. */
export interface SealedSettings {
  readonly events: NodeEvents
  /** Prefix of all keys of this installation. */
  readonly prefix: string
  readonly seal: Seal
}

/** Opens the statuses. Redis keeps each for two hours. */
export const openJobStatuses = (link: RedisLink, { events, prefix, seal }: SealedSettings): JobStatuses => {
  const nameOf = (token: string): string => seal.name(`job ${token}`)
  const keyOf = (token: string): string => `${prefix}job:${nameOf(token)}`
  return {
    begin: async (token) => {
      await link.ask((client) => client.set(keyOf(token), '', 'PX', OUTCOME_MS, 'NX'))
    },
    writeEnd: async (token, end) => {
      const status = seal.close(end, keyOf(token))
      await link.ask((client) => client.set(keyOf(token), status, 'PX', OUTCOME_MS))
    },
    notifyEnd: (token) => events.publish(nameOf(token)),
    read: async (token) => {
      const status = await link.ask((client) => client.get(keyOf(token)))
      if (status === null) return 'unknown'
      const end = status === '' ? undefined : (seal.open(status, keyOf(token)) as JobEnd | undefined)
      return end ?? 'under way'
    },
    whenEnded: (token, signal) => events.next(nameOf(token), CHECK_MS, signal),
  }
}
