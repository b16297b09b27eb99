/** Where finished results are kept (§5.1). Implementations: adapters/results/*. */

/** Everything needed to answer for a result again without working it out. */
export interface ResultMeta {
  readonly contentType: string
  readonly bytes: number
  readonly etag: string
  /** Response headers that belong to the result itself (Warning texts, X-Score …), by lower-case name. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>
  /** Milliseconds since the epoch. */
  readonly createdAt: number
  /** False: nobody was given this result's address, it may be evicted at once. Otherwise it stays for at least an hour (§5.1). */
  readonly promised?: boolean
}

/** Part of a body, counted from 0, both ends included. */
export interface ByteRange {
  readonly first: number
  readonly last: number
}

/** Opens a body, or a part of it that lies within it, for reading; throws when it was removed meanwhile. */
export type OpenBody = (range?: ByteRange) => Promise<NodeJS.ReadableStream>

export interface StoredResult {
  readonly meta: ResultMeta
  readonly open: OpenBody
}

export interface Results {
  /** Stores bytes, or a copy of the file at a path, under `key` (hex, at least 128 bits). False: no room. */
  readonly put: (key: string, body: string | Uint8Array, meta: ResultMeta) => Promise<boolean>
  /** The stored result, marked as just used; undefined when there is none. */
  readonly get: (key: string) => Promise<StoredResult | undefined>
  readonly remove: (key: string) => Promise<void>
  readonly close: () => Promise<void>
}
