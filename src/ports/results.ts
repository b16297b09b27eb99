/** The store of finished results (§5.1). Implementations: adapters/results/*. */

/** Data for answering with a stored result. */
export interface ResultMeta {
  readonly contentType: string
  readonly bytes: number
  readonly etag: string
  /** Response headers of the result itself (Warning, X-Score …), by lower-case name. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>
  /** Milliseconds since the epoch. */
  readonly createdAt: number
  /** False: no client has this result's address, so it may be evicted at once. Otherwise it stays for at least an hour (§5.1). */
  readonly promised?: boolean
}

/** Part of a body, counted from 0, both ends included. */
export interface ByteRange {
  readonly first: number
  readonly last: number
}

/** Opens a body or a range of it. Throws when it was removed. */
export type OpenBody = (range?: ByteRange) => Promise<NodeJS.ReadableStream>

export interface StoredResult {
  readonly meta: ResultMeta
  readonly open: OpenBody
}

export interface Results {
  /** Stores bytes, or a copy of the file at a path, under `key` (hex, at least 128 bits). False: the store is full. */
  readonly put: (key: string, body: string | Uint8Array, meta: ResultMeta) => Promise<boolean>
  /** The stored result, marked as used. undefined when there is none. */
  readonly get: (key: string) => Promise<StoredResult | undefined>
  readonly remove: (key: string) => Promise<void>
  /** Fails with STORE_AWAY where the store does not answer. Absent where there is no other machine to ask. */
  readonly ping?: () => Promise<void>
  readonly close: () => Promise<void>
}
