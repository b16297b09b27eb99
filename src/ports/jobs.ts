import type { FailureData } from '../core/failure.ts'

/** What nodes that share their work need to tell one another. Implementations: adapters/jobs/*. */

/** The right of this node to work on a key, until it is disposed of or the node dies. */
export type JobClaim = AsyncDisposable

/** Single flight over all nodes. A node that cannot reach the others goes on as if it were alone. */
export interface Claims {
  /** Whether other nodes may be at work: what they made is then looked for in the store once more. */
  readonly shared: boolean
  /** The right to work on `key`; undefined while another node has it. A node may hold the same key several times. */
  readonly claim: (key: string) => Promise<JobClaim | undefined>
  /** Resolves when no other node holds `key` any more, or when `signal` fires. */
  readonly whenFree: (key: string, signal: AbortSignal) => Promise<void>
}

/** A request as plain data, so that any node can answer it. */
export interface TicketRequest {
  readonly id: string
  readonly username: string
  readonly options: string | undefined
  readonly imageUrl: string | undefined
  readonly accept: { readonly webp: boolean; readonly avif: boolean }
}

/** A copy of a source in the result store, with what is known of it. */
export interface SourceCopy {
  readonly key: string
  readonly bytes: number
  readonly cacheControl?: string
  readonly shareable: boolean
}

/** A job whose request was answered with 303: all that another node needs to do it. Plain data. */
export interface JobTicket {
  /** 128 random bits, hex: the result is stored under it. */
  readonly token: string
  readonly request: TicketRequest
  /** Absent: the source is fetched again. */
  readonly source?: SourceCopy
}

/** How a job ended. */
export type JobEnd =
  /** Its image lies in the result store under the token. */
  | { readonly kind: 'stored' }
  | { readonly kind: 'failed'; readonly failure: FailureData }
  /** The source stands in for a result that was not made in time (§5.2). */
  | { readonly kind: 'redirect'; readonly url: string; readonly warnings: readonly string[] }

/** Jobs that outlast their requests, over all nodes: each is seen to its end by some node, whichever of them die. */
export interface JobQueue {
  /** Hands a job over; fails with STORE_AWAY when the other nodes cannot be told. */
  readonly announce: (ticket: JobTicket) => Promise<void>
  /** Tells all who wait how a job ended. Never fails: what cannot be told now is told later. */
  readonly end: (token: string, end: JobEnd) => Promise<void>
  /** How a job ended; waits for it until `signal` fires. Fails with STORE_AWAY when the other nodes cannot be asked. */
  readonly find: (token: string, signal: AbortSignal) => Promise<JobEnd | 'under way' | 'unknown'>
  /** From here on this node sees jobs to their end, by `see`; a job whose `see` fails is given to some node again. */
  readonly work: (see: (ticket: JobTicket) => Promise<void>) => void
  readonly close: () => Promise<void>
}
