import { HOUR_MS } from '../../core/units.ts'

/** A stored result in the index. */
export interface LruEntry {
  readonly key: string
  /** Bytes on the disk, including the header. */
  readonly bytes: number
  /** ms since the epoch. For a file found at start, a later time than its creation. */
  readonly createdAt: number
  /** Whether it may not be evicted within its first hour. */
  readonly promised: boolean
}

/** The index of stored results, least recently used first. It chooses results to evict and touches no file. */
export interface LruIndex {
  readonly has: (key: string) => boolean
  /** Adds or replaces an entry as the most recently used one. */
  readonly add: (entry: LruEntry) => void
  readonly drop: (key: string) => void
  /** Entries to evict so that `bytes` more fit below `limit`. undefined when they cannot fit. */
  readonly evictionsFor: (space: { bytes: number; limit: number; now: number }) => readonly LruEntry[] | undefined
  /** Entries older than `age` ms. */
  readonly expired: (age: number, now: number) => readonly LruEntry[]
}

/** ms that a promised result is kept: an hour after its address was returned to a client (§5.1). */
export const PROMISE_MS = HOUR_MS

/** Returns an empty index. Entries are in the order of their last use. */
export const makeLruIndex = (): LruIndex => {
  // A Map keeps the order of insertion. A used entry is inserted again, so the first one is the least recently used.
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
    evictionsFor: ({ bytes, limit, now }) => {
      let excess = total + bytes - limit
      const evicted: LruEntry[] = []
      for (const entry of entries.values()) {
        if (excess <= 0) break
        if (isPromised(entry, now)) continue
        evicted.push(entry)
        excess -= entry.bytes
      }
      return excess <= 0 ? evicted : undefined
    },
    expired: (age, now) => [...entries.values()].filter((entry) => now - entry.createdAt > age),
  }
}
