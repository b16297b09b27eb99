import { randomBytes } from 'node:crypto'
import { Failure, fail, isStoreAway } from '../core/failure.ts'
import type { Claims, JobQueue, JobTicket, TicketRequest } from '../ports/jobs.ts'
import type { Results } from '../ports/results.ts'
import { OVER, raceSignal, timer } from '../support/race.ts'
import type { Answer, ImageAnswer } from './answer.ts'
import { type LocalJob, type LocalJobs, openLocalJobs } from './local-jobs.ts'
import { recall } from './recall.ts'
import type { GivenSource, SourceCopies } from './source-copies.ts'

/** Maximum ms that a response, which is due (§5.1), waits until other nodes know of its job. The announcement itself goes on. Chosen, not measured. */
const MAX_ANNOUNCE_MS = 3000

/** Data for other nodes to take over a job when its node dies. */
export interface HandOver {
  readonly request: TicketRequest
  /** Absent before the source has been fetched. It is then fetched again. */
  readonly source?: GivenSource
}

/** Work that takes longer than its request, at unguessable addresses (§5.1). */
export interface Deferred {
  /** Keeps the outcome of `answer` for at least an hour under a new random token of 128 bits, hex. Resolves once other nodes know of it, or cannot be reached. */
  readonly keep: (answer: Promise<Answer>, handOver?: HandOver) => Promise<string>
  /** The outcome of a token. Waits for running work until `signal` ends, then returns undefined. Fails with RESULT_GONE, or like the work. */
  readonly find: (token: string, signal: AbortSignal) => Promise<Answer | undefined>
  readonly underWay: () => number
  /** Resolves when no work is running and all outcomes are stored. */
  readonly idle: () => Promise<void>
}

export interface DeferredSettings {
  readonly results: Results
  /** Moves a finished image into the result store under its token. False when the store does not accept it. */
  readonly store: (key: string, answer: ImageAnswer) => Promise<boolean>
  readonly claims: Claims
  readonly queue: JobQueue
  readonly copies: SourceCopies
  /** Runs the job of a dead node. */
  readonly resume: (ticket: JobTicket) => Promise<Answer>
  /** Reports problems between nodes. Jobs continue. */
  readonly report: (problem: string, error: unknown) => void
}

const claimKey = (token: string): string => `job:${token}`

/** Completes a job: waits for the node that works on it, and takes the job over when that node has died. */
const completeJob = async (settings: DeferredSettings, local: LocalJobs, ticket: JobTicket): Promise<void> => {
  const { results, claims, queue, copies, resume } = settings
  const { token } = ticket
  const forever = new AbortController().signal
  for (;;) {
    const own = local.get(token)
    if (own !== undefined) return own.settled
    const end = await queue.find(token, AbortSignal.abort())
    if (end !== 'under way' && end !== 'unknown') return
    const claim = await claims.claim(claimKey(token))
    if (claim === undefined) await claims.whenFree(claimKey(token), forever)
    else if ((await recall(results, token)) === undefined) {
      await local.begin(token, resume(ticket), Promise.resolve(claim)).settled
      if (ticket.source !== undefined) await copies.remove(ticket.source)
      return
    } else {
      await queue.end(token, { kind: 'stored' })
      return claim[Symbol.asyncDispose]()
    }
  }
}

/** The outcome of a token from the store or from other nodes. */
const findRemotely = async (
  { results, queue }: DeferredSettings,
  token: string,
  signal: AbortSignal,
): Promise<Answer | undefined> => {
  const stored = await recall(results, token).catch((error: unknown) => {
    if (isStoreAway(error)) return 'away' as const
    throw error
  })
  if (stored !== undefined && stored !== 'away') return stored
  const end = await queue.find(token, signal)
  if (end === 'under way') return undefined
  if (end === 'unknown') throw fail(stored === 'away' ? 'STORE_AWAY' : 'RESULT_GONE')
  if (end.kind === 'failed') throw new Failure(end.failure)
  if (end.kind === 'redirect')
    return { kind: 'redirect', to: { kind: 'source', url: end.url }, warnings: end.warnings, stages: {} }
  const ready = await recall(results, token)
  if (ready === undefined) throw fail('RESULT_GONE')
  return ready
}

/** Opens deferred work. It is shared with other nodes through `queue`. */
export const openDeferred = (settings: DeferredSettings): Deferred => {
  const { store, claims, queue, copies, report } = settings
  const local = openLocalJobs({ store, end: queue.end })

  const announce = async (token: string, entry: LocalJob, { request, source }: HandOver): Promise<void> => {
    const copy = source === undefined ? undefined : await copies.make(source)
    await queue.announce({ token, request, ...(copy === undefined ? {} : { source: copy }) })
    if (copy !== undefined) void entry.settled.then(() => copies.remove(copy))
  }

  const keep: Deferred['keep'] = async (answer, handOver) => {
    const token = randomBytes(16).toString('hex')
    const claim = claims.claim(claimKey(token))
    const entry = local.begin(token, answer, claim)
    if (handOver === undefined || !claims.shared) return token
    await claim
    using limit = timer(MAX_ANNOUNCE_MS)
    const announced = announce(token, entry, handOver).catch((error: unknown) => {
      if (!isStoreAway(error)) report('a job could not be handed over to the other nodes', error)
    })
    await Promise.race([announced, limit.over])
    return token
  }

  queue.work((ticket) => completeJob(settings, local, ticket))

  const find: Deferred['find'] = async (token, signal) => {
    const entry = local.get(token)
    if (entry === undefined) return findRemotely(settings, token, signal)
    const first = await raceSignal(entry.answer, signal)
    return first === OVER ? undefined : first
  }

  return {
    keep,
    find,
    underWay: () => local.underWay().length,
    idle: async () => {
      await Promise.all(local.underWay().map((entry) => entry.settled))
    },
  }
}
