import { createHmac } from 'node:crypto'
import { text } from 'node:stream/consumers'
import type { SourceFacts } from '../core/image.ts'
import { ANSWER_MS } from '../core/intervals.ts'
import type { Claims, JobClaim } from '../ports/jobs.ts'
import type { Results } from '../ports/results.ts'
import type { Validators } from '../source/cacheability.ts'
import { makeTurns } from '../support/in-turn.ts'
import { etagOf } from './recall.ts'
import { isCurrent, NOT_READ, readNow, type StoreReading } from './store-reading.ts'

/** Stored facts about a source of live delivery (§8), so that its server is not asked each time. */
export interface SourceRecord extends Validators {
  /** SHA-256 of its bytes, hex. */
  readonly digest: string
  readonly facts: SourceFacts
  /** The server's Cache-Control at `fetchedAt`. Absent: none. */
  readonly cacheControl?: string
  readonly shareable: boolean
  /** ms since the epoch when the server last confirmed the source. */
  readonly fetchedAt: number
  /** Keys of the stored results of this source. */
  readonly results: readonly string[]
}

/** Records of sources by account and address, in the result store that all nodes share. */
export interface SourceRecords {
  readonly read: (name: string) => Promise<StoreReading<SourceRecord | undefined>>
  /** Stores a record, with the results of the previous one: that in `known`, unless another node may have written since. */
  readonly write: (name: string, record: SourceRecord, known?: StoreReading<SourceRecord | undefined>) => Promise<void>
  /** Removes and returns a record. */
  readonly take: (name: string) => Promise<SourceRecord | undefined>
}

/** Maximum results that are recorded for purging. The oldest are removed first. */
const MAX_RESULTS = 1000

/** The account and address of a source. `posted`: fetched by POST, which follows redirects that delivery does not. */
export interface RecordedSource {
  readonly username: string
  readonly url: URL
  readonly by: 'delivered' | 'posted'
}

/** The name of a source's record: 256 bits, hex, as unguessable as the keys of results. */
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
  /** Reports records that could not be read or stored. */
  readonly report: (error: unknown) => void
}

const union = (one: readonly string[], other: readonly string[]): string[] =>
  [...new Set([...one, ...other])].slice(-MAX_RESULTS)

/** Runs work on a name while no other node does. After {@link ANSWER_MS} it runs anyway: an unpurged variant is better than no response. */
const amongNodes = async <T>(
  claims: Claims,
  name: string,
  work: (claim: JobClaim | undefined) => Promise<T>,
): Promise<T> => {
  const limit = AbortSignal.timeout(ANSWER_MS)
  for (;;) {
    await using claim = await claims.claim(`record ${name}`)
    if (claim !== undefined || limit.aborted) return await work(claim)
    await claims.whenFree(`record ${name}`, limit)
  }
}

/** Opens the records in a result store. */
export const openSourceRecords = ({ results, claims, report }: SourceRecordsSettings): SourceRecords => {
  // Concurrent additions of variants must all be kept.
  const onThisNode = makeTurns()
  const inTurn = <T>(name: string, work: (claim: JobClaim | undefined) => Promise<T>): Promise<T> =>
    onThisNode(name, () => amongNodes(claims, name, work))
  const get = async (name: string): Promise<SourceRecord | undefined> => {
    const stored = await results.get(name)
    if (stored === undefined) return undefined
    return parse(await text(await stored.open()))
  }
  const read: SourceRecords['read'] = (name) =>
    readNow(() => get(name)).catch((error: unknown) => {
      report(error)
      return NOT_READ
    })
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
      report(error)
    }
  }
  return {
    read,
    write: (name, record, known = NOT_READ) =>
      inTurn(name, async (claim) => {
        const { value: before } = isCurrent(known, claim) ? known : await read(name)
        await put(name, JSON.stringify({ ...record, results: union(before?.results ?? [], record.results) }))
      }),
    take: (name) =>
      inTurn(name, async () => {
        const { value } = await read(name)
        await results.remove(name)
        return value
      }),
  }
}
