import { createHmac } from 'node:crypto'
import { text } from 'node:stream/consumers'
import type { SourceFacts } from '../core/image.ts'
import { makeTurns } from '../core/in-turn.ts'
import type { Claims } from '../ports/jobs.ts'
import type { Results } from '../ports/results.ts'
import type { Validators } from '../source/cacheability.ts'
import { etagOf } from './recall.ts'

/** What is remembered of a source whose results are delivered live (§8), so that its server need not be asked each time. */
export interface SourceRecord extends Validators {
  /** SHA-256 of its bytes, hex. */
  readonly digest: string
  readonly facts: SourceFacts
  /** As its server stated it at `fetchedAt`; absent = nothing. */
  readonly cacheControl?: string
  readonly shareable: boolean
  /** ms since the epoch when its server said last that this is the source. */
  readonly fetchedAt: number
  /** Names of the results that were made of it, under which they are stored. */
  readonly results: readonly string[]
}

/** Sources by account and address, in the result store: every node finds them. */
export interface SourceRecords {
  readonly read: (name: string) => Promise<SourceRecord | undefined>
  /** Keeps a record, with the results of the one before it; where the store does not take it, the source is asked for again. */
  readonly write: (name: string, record: SourceRecord) => Promise<void>
  /** Removes a record, and resolves with what it was. */
  readonly take: (name: string) => Promise<SourceRecord | undefined>
}

/** A record is a few kilobytes; whatever is larger is none. */
const MOST_BYTES = 1e6
/** Results that are remembered to be purged; the oldest go first. */
const MOST_RESULTS = 1000

/** Whose source it is, and where; `posted`: what POST fetched, which followed redirects that delivery does not. */
export interface RecordedSource {
  readonly username: string
  readonly url: URL
  readonly by: 'delivered' | 'posted'
}

/** The name of a source's record: 256 bits, hex, as unguessable as the names of results. */
export const recordName = (secret: Uint8Array, { username, url, by }: RecordedSource): string =>
  createHmac('sha256', secret)
    .update(JSON.stringify(['source', by, username, url.href]))
    .digest('hex')

const isRecord = (value: unknown): value is SourceRecord => {
  const record = value as Partial<SourceRecord> | null
  return (
    typeof record === 'object' &&
    typeof record?.digest === 'string' &&
    typeof record.facts === 'object' &&
    typeof record.shareable === 'boolean' &&
    Number.isFinite(record.fetchedAt) &&
    Array.isArray(record.results)
  )
}

const parse = (json: string): SourceRecord | undefined => {
  try {
    const value: unknown = JSON.parse(json)
    return isRecord(value) ? value : undefined
  } catch {
    return undefined
  }
}

export interface SourceRecordsSettings {
  readonly results: Results
  readonly claims: Claims
  /** Hears of records that could not be read or kept. */
  readonly tell: (error: unknown) => void
}

const union = (one: readonly string[], other: readonly string[]): string[] =>
  [...new Set([...one, ...other])].slice(-MOST_RESULTS)

/** ms that a record is waited for while other nodes write it one after the other. */
const LONGEST_WAIT_MS = 5000

/** Runs work on a name while no other node does; after a while all the same: a variant that is not purged is better than no answer. */
const amongNodes = async <T>(claims: Claims, name: string, work: () => Promise<T>): Promise<T> => {
  const limit = AbortSignal.timeout(LONGEST_WAIT_MS)
  for (;;) {
    await using claim = await claims.claim(`record ${name}`)
    if (claim !== undefined || limit.aborted) return await work()
    await claims.whenFree(`record ${name}`, limit)
  }
}

/** Opens the records in a result store. */
export const openSourceRecords = ({ results, claims, tell }: SourceRecordsSettings): SourceRecords => {
  // What two variants add at once is both there.
  const onThisNode = makeTurns()
  const inTurn = <T>(name: string, work: () => Promise<T>): Promise<T> =>
    onThisNode(name, () => amongNodes(claims, name, work))
  const read: SourceRecords['read'] = async (name) => {
    try {
      const stored = await results.get(name)
      if (stored === undefined || stored.meta.bytes > MOST_BYTES) return undefined
      return parse(await text(await stored.open()))
    } catch (error) {
      tell(error)
      return undefined
    }
  }
  const put = async (name: string, json: string): Promise<void> => {
    const body = Buffer.from(json)
    const meta = {
      contentType: 'application/json',
      bytes: body.length,
      etag: etagOf(body),
      headers: {},
      promised: false,
    }
    try {
      await results.put(name, body, { ...meta, createdAt: Date.now() })
    } catch (error) {
      tell(error)
    }
  }
  return {
    read,
    write: (name, record) =>
      inTurn(name, async () => {
        const before = await read(name)
        await put(name, JSON.stringify({ ...record, results: union(before?.results ?? [], record.results) }))
      }),
    take: (name) =>
      inTurn(name, async () => {
        const record = await read(name)
        await results.remove(name)
        return record
      }),
  }
}
