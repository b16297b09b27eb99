import { randomBytes } from 'node:crypto'
import { Failure, fail } from '../core/failure.ts'
import { OVER, raceSignal, timer } from '../core/race.ts'
import type { Claims, JobClaim, JobEnd, JobQueue, JobTicket, TicketRequest } from '../ports/jobs.ts'
import type { Results } from '../ports/results.ts'
import type { Answer, ImageAnswer } from './answer.ts'
import { recall } from './recall.ts'
import type { GivenSource, SourceCopies } from './source-copies.ts'

/** How long what is not kept in the result store (failures, redirects to the source) is remembered: §5.1, at least an hour. */
const REMEMBER_MS = 2 * 3600e3
/** More deferred outcomes than this are not remembered at once; the oldest finished ones go first. */
const MOST_REMEMBERED = 10_000
/** Bytes of images that may wait in memory because the result store did not take them; the oldest go first. */
const MOST_BYTES = 200e6
/** How often an image that the store did not take is offered again. */
const STORE_AGAIN_MS = 5000
/** Most time for telling other nodes of a job before its request is answered: the response is due (§5.1). */
const HAND_OVER_MS = 3000

interface Entry {
  readonly answer: Promise<Answer>
  /** Bytes held in memory once finished. */
  bytes: number
  finishedAt: number | undefined
  /** Resolves when the outcome is known and stored. */
  settled: Promise<void>
}

/** What other nodes need for a job whose own node dies. */
export interface HandOver {
  readonly request: TicketRequest
  /** Absent when the source is not in hand yet: it is fetched again. */
  readonly source?: GivenSource
}

/** Work that outlasts its request, under unguessable addresses (§5.1). */
export interface Deferred {
  /** Keeps the outcome of `answer` under a new random token of 128 bits, hex, for at least an hour. Resolves once other nodes know of it, or cannot be told. */
  readonly keep: (answer: Promise<Answer>, handOver?: HandOver) => Promise<string>
  /** The outcome under a token: waits for work under way, until `signal` ends; then undefined. Fails with RESULT_GONE, or as the work did. */
  readonly find: (token: string, signal: AbortSignal) => Promise<Answer | undefined>
  readonly underWay: () => number
  /** Resolves when no work is under way any more and its outcome is stored. */
  readonly idle: () => Promise<void>
}

export interface DeferredSettings {
  readonly results: Results
  /** Moves a finished image into the result store under its token; false when it was not taken. */
  readonly store: (key: string, answer: ImageAnswer) => Promise<boolean>
  readonly claims: Claims
  readonly queue: JobQueue
  readonly copies: SourceCopies
  /** Does the job of a node that died. */
  readonly resume: (ticket: JobTicket) => Promise<Answer>
  /** Hears what went wrong between the nodes; the jobs go on. */
  readonly tell: (what: string, error: unknown) => void
}

const claimKey = (token: string): string => `job:${token}`

const isAway = (error: unknown): boolean => error instanceof Failure && error.code === 'STORE_AWAY'

const endOf = (answer: Answer): JobEnd => {
  if (answer.kind === 'image') return { kind: 'stored' }
  // Only sources are redirected to here: a job does not end in another job.
  const url = answer.to.kind === 'source' ? answer.to.url : ''
  return { kind: 'redirect', url, warnings: answer.warnings }
}

const failedEnd = (error: unknown, token: string): JobEnd => ({
  kind: 'failed',
  failure: (error instanceof Failure ? error : fail('SERVER_FAULT', token)).toData(),
})

/** Opens the memory of deferred work, and shares it with other nodes through `queue`. */
export const openDeferred = (settings: DeferredSettings): Deferred => {
  const { results, store, claims, queue, copies, resume, tell } = settings
  const entries = new Map<string, Entry>()

  const sweep = (): void => {
    const expired = Date.now() - REMEMBER_MS
    let bytes = [...entries.values()].reduce((sum, entry) => sum + entry.bytes, 0)
    for (const [token, { finishedAt, bytes: own }] of entries) {
      const tooMuch = entries.size > MOST_REMEMBERED || (own > 0 && bytes > MOST_BYTES)
      if (finishedAt === undefined || (finishedAt >= expired && !tooMuch)) continue
      entries.delete(token)
      bytes -= own
    }
  }

  const storeAgain = (token: string, answer: ImageAnswer): void => {
    const later = setTimeout(async () => {
      if (!entries.has(token)) return
      if (!(await store(token, answer))) return storeAgain(token, answer)
      entries.delete(token)
      await queue.end(token, { kind: 'stored' })
    }, STORE_AGAIN_MS)
    later.unref()
  }

  /** Stores what came out and tells the others; an image that the store does not take stays here and is offered again. */
  const conclude = async (token: string, entry: Entry): Promise<void> => {
    const answer = await entry.answer
    if (answer.kind === 'image' && !(await store(token, answer))) {
      entry.bytes = typeof answer.body === 'function' ? 0 : answer.bytes
      return storeAgain(token, answer)
    }
    if (answer.kind === 'image') entries.delete(token)
    await queue.end(token, endOf(answer))
  }

  const finish = async (token: string, entry: Entry, claim: Promise<JobClaim | undefined>): Promise<void> => {
    await conclude(token, entry).catch((error: unknown) => queue.end(token, failedEnd(error, token)))
    entry.finishedAt = Date.now()
    sweep()
    const held = await claim
    await held?.[Symbol.asyncDispose]()
  }

  const begin = (token: string, answer: Promise<Answer>, claim: Promise<JobClaim | undefined>): Entry => {
    const entry: Entry = { answer, bytes: 0, finishedAt: undefined, settled: Promise.resolve() }
    entries.set(token, entry)
    entry.settled = finish(token, entry, claim)
    return entry
  }

  const announce = async (token: string, entry: Entry, { request, source }: HandOver): Promise<void> => {
    const copy = source === undefined ? undefined : await copies.make(source)
    await queue.announce({ token, request, ...(copy === undefined ? {} : { source: copy }) })
    if (copy !== undefined) void entry.settled.then(() => copies.remove(copy))
  }

  const keep: Deferred['keep'] = async (answer, handOver) => {
    const token = randomBytes(16).toString('hex')
    const claim = claims.claim(claimKey(token))
    const entry = begin(token, answer, claim)
    if (handOver === undefined || !claims.shared) return token
    await claim
    using late = timer(HAND_OVER_MS)
    const announced = announce(token, entry, handOver).catch((error: unknown) => {
      if (!isAway(error)) tell('a job could not be handed over to the other nodes', error)
    })
    await Promise.race([announced, late.over])
    return token
  }

  /** Sees a job to its end: waits for the node that works on it, and does it itself when that node is gone. */
  const see = async (ticket: JobTicket): Promise<void> => {
    const { token } = ticket
    const forever = new AbortController().signal
    for (;;) {
      const own = entries.get(token)
      if (own !== undefined) return own.settled
      const end = await queue.find(token, AbortSignal.abort())
      if (end !== 'under way' && end !== 'unknown') return
      const claim = await claims.claim(claimKey(token))
      if (claim === undefined) await claims.whenFree(claimKey(token), forever)
      else if ((await recall(results, token)) === undefined) {
        await begin(token, resume(ticket), Promise.resolve(claim)).settled
        if (ticket.source !== undefined) await copies.remove(ticket.source)
        return
      } else {
        await queue.end(token, { kind: 'stored' })
        return claim[Symbol.asyncDispose]()
      }
    }
  }
  queue.work(see)

  /** What other nodes, or the store, know of a token. */
  const findElsewhere: Deferred['find'] = async (token, signal) => {
    const stored = await recall(results, token).catch((error: unknown) => {
      if (isAway(error)) return 'away' as const
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

  const find: Deferred['find'] = async (token, signal) => {
    const entry = entries.get(token)
    if (entry === undefined) return findElsewhere(token, signal)
    const first = await raceSignal(entry.answer, signal)
    return first === OVER ? undefined : first
  }

  const open = (): Entry[] => [...entries.values()].filter((entry) => entry.finishedAt === undefined)
  return {
    keep,
    find,
    underWay: () => open().length,
    idle: async () => {
      await Promise.all(open().map((entry) => entry.settled))
    },
  }
}
