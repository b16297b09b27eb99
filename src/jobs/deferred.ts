import { createHash, randomBytes } from 'node:crypto'
import { fail } from '../core/failure.ts'
import { OVER, raceSignal } from '../core/race.ts'
import type { ResultMeta, Results } from '../ports/results.ts'
import { ageCacheControl } from '../source/cacheability.ts'
import type { Answer, ImageAnswer } from './answer.ts'

/** How long what is not kept in the result store (failures, redirects to the source) is remembered: §5.1, at least an hour. */
const REMEMBER_MS = 2 * 3600e3
/** More deferred outcomes than this are not remembered at once; the oldest finished ones go first. */
const MOST_REMEMBERED = 10_000

/** Bytes of images that may wait in memory because the result store had no room for them; the oldest go first. */
const MOST_BYTES = 200e6

interface Entry {
  readonly answer: Promise<Answer>
  /** Bytes held in memory once finished. */
  bytes: number
  finishedAt: number | undefined
  /** Resolves when the outcome is known and stored. */
  settled: Promise<void>
}

/** Work that outlasts its request, under unguessable addresses (§5.1). */
export interface Deferred {
  /** Keeps the outcome of `answer` under a new random token of 128 bits, hex, for at least an hour. */
  readonly keep: (answer: Promise<Answer>) => string
  /** The outcome under a token: waits for work under way, until `signal` ends; then undefined. Fails with RESULT_GONE, or as the work did. */
  readonly find: (token: string, signal: AbortSignal) => Promise<Answer | undefined>
  readonly underWay: () => number
  /** Resolves when no work is under way any more and its outcome is stored. */
  readonly idle: () => Promise<void>
}

/** How an image answer is kept in a result store and brought back; see {@link storeAnswer}. */
export const metaOf = (answer: ImageAnswer, promised: boolean): ResultMeta => ({
  promised,
  contentType: answer.contentType,
  bytes: answer.bytes,
  etag: answer.etag,
  headers: {
    ...answer.facts,
    warning: answer.warnings,
    ...(answer.cacheControl === undefined ? {} : { 'cache-control': answer.cacheControl }),
    ...(answer.variesByAccept ? { vary: 'Accept' } : {}),
  },
  createdAt: Date.now(),
})

const many = (value: string | readonly string[] | undefined): readonly string[] =>
  value === undefined ? [] : typeof value === 'string' ? [value] : value

/** Brings an answer back out of the store, or undefined when it is not, or no longer, there. */
export const recall = async (results: Results, key: string): Promise<ImageAnswer | undefined> => {
  const stored = await results.get(key)
  if (stored === undefined) return undefined
  const { warning, vary, 'cache-control': cacheControl, ...facts } = stored.meta.headers
  return {
    kind: 'image',
    contentType: stored.meta.contentType,
    body: stored.open,
    bytes: stored.meta.bytes,
    etag: stored.meta.etag,
    warnings: many(warning),
    ...(typeof cacheControl === 'string'
      ? { cacheControl: ageCacheControl(cacheControl, (Date.now() - stored.meta.createdAt) / 1000) }
      : {}),
    stages: {},
    facts: Object.fromEntries(
      Object.entries(facts).flatMap(([name, value]) => many(value).map((text) => [name, text])),
    ),
    variesByAccept: vary !== undefined,
  }
}

/** The entity tag of the body with this SHA-256 (hex): it is shortened to 128 bits. */
export const etagFrom = (digest: string): string => `"${digest.slice(0, 32)}"`

/** The entity tag of a body. */
export const etagOf = (body: Uint8Array): string => etagFrom(createHash('sha256').update(body).digest('hex'))

/** Opens the memory of deferred work; `store` moves a finished image into the result store under its token. */
export const openDeferred = (
  results: Results,
  store: (key: string, answer: ImageAnswer) => Promise<boolean>,
): Deferred => {
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

  const finish = async (token: string, entry: Entry): Promise<void> => {
    const answer = await entry.answer.catch(() => undefined)
    if (answer?.kind === 'image') {
      if (await store(token, answer)) entries.delete(token)
      else entry.bytes = typeof answer.body === 'function' ? 0 : answer.bytes
    }
    entry.finishedAt = Date.now()
    sweep()
  }

  const find: Deferred['find'] = async (token, signal) => {
    const entry = entries.get(token)
    if (entry === undefined) {
      const stored = await recall(results, token)
      if (stored === undefined) throw fail('RESULT_GONE')
      return stored
    }
    const first = await raceSignal(entry.answer, signal)
    return first === OVER ? undefined : first
  }

  const open = (): Entry[] => [...entries.values()].filter((entry) => entry.finishedAt === undefined)
  return {
    keep: (answer) => {
      const token = randomBytes(16).toString('hex')
      const entry: Entry = { answer, bytes: 0, finishedAt: undefined, settled: Promise.resolve() }
      entries.set(token, entry)
      entry.settled = finish(token, entry)
      return token
    },
    find,
    underWay: () => open().length,
    idle: async () => {
      await Promise.all(open().map((entry) => entry.settled))
    },
  }
}
