import { HOUR_MS } from '../../core/units.ts'

/** One stored result as the index knows it. */
export interface LruEntry {
  readonly key: string
  /** On the disk, header included. */
  readonly bytes: number
  /** Ms since the epoch; when unknown (found at start), no earlier than it was. */
  readonly createdAt: number
  /** False: may be evicted before it is an hour old. */
  readonly promised: boolean
}

/** The index of what is stored, least recently used first, and the decision what has to go. It touches no file. */
export interface LruIndex {
  readonly has: (key: string) => boolean
  /** Adds or replaces an entry, as the one used last. */
  readonly add: (entry: LruEntry) => void
  readonly drop: (key: string) => void
  /** Entries to evict so that `bytes` more fit under `limit`; undefined when they cannot fit. */
  readonly makeRoom: (wanted: { bytes: number; limit: number; now: number }) => readonly LruEntry[] | undefined
  /** Entries older than `age` ms. */
  readonly expired: (age: number, now: number) => readonly LruEntry[]
}

/** How long a result stays once its address was given away (§5.1). */
export const PROMISE_MS = HOUR_MS

/** Makes an empty index. */
export const makeLruIndex = (): LruIndex => {
  // A Map keeps the order of insertion: an entry that is used is put in again, so the first one is the one to go.
  const entries = new Map<string, LruEntry>()
  let total = 0
  const drop = (key: string): void => {
    total -= entries.get(key)?.bytes ?? 0
    entries.delete(key)
  }
  const add = (entry: LruEntry): void => {
    drop(entry.key)
    entries.set(entry.key, entry)
    total += entry.bytes
  }
  const isPromised = (entry: LruEntry, now: number): boolean => entry.promised && now - entry.createdAt < PROMISE_MS
  return {
    has: (key) => entries.has(key),
    add,
    drop,
    makeRoom: ({ bytes, limit, now }) => {
      let excess = total + bytes - limit
      const going: LruEntry[] = []
      for (const entry of entries.values()) {
        if (excess <= 0) break
        if (isPromised(entry, now)) continue
        going.push(entry)
        excess -= entry.bytes
      }
      return excess <= 0 ? going : undefined
    },
    expired: (age, now) => [...entries.values()].filter((entry) => now - entry.createdAt > age),
  }
}
