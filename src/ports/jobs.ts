import type { FailureData } from '../core/failure.ts'

/** Messages between nodes that share work. Implementations: adapters/jobs/*. */

/** The right of this node to work on a key, until it is disposed of or the node dies. */
export interface JobClaim extends AsyncDisposable {
  /** ms before the claim in which no node held the key: what was read of its work in that time is still true. 0: unknown. */
  readonly unheldMs: number
}

/** Single flight over all nodes. A node that cannot reach the others continues alone. */
export interface Claims {
  /** Whether other nodes may be working. Then the store is checked once more for their results. */
  readonly shared: boolean
  /** Claims `key`. undefined while another node has it. A node may claim the same key several times. */
  readonly claim: (key: string) => Promise<JobClaim | undefined>
  /** Resolves when no other node holds `key`, or when `signal` fires. */
  readonly whenFree: (key: string, signal: AbortSignal) => Promise<void>
}

/** A request as plain data, which any node can answer. */
export interface TicketRequest {
  /** Absent in tickets of an earlier version: `optimise`. */
  readonly work?: 'optimise' | 'describe' | 'deliver' | 'deliver information'
  readonly id: string
  readonly username: string
  readonly options: string | undefined
  readonly imageUrl: string | undefined
  readonly accept: { readonly webp: boolean; readonly avif: boolean; readonly jxl?: boolean }
}

/** A copy of a source in the result store. */
export interface SourceCopy {
  readonly key: string
  readonly bytes: number
  readonly cacheControl?: string
  readonly shareable: boolean
}

/** A job whose request was answered with 303, with all data that another node needs. Plain data. */
export interface JobTicket {
  /** 128 random bits, hex. The result is stored under it. */
  readonly token: string
  readonly request: TicketRequest
  /** Absent: the source is fetched again. */
  readonly source?: SourceCopy
}

/** The end of a job. */
export type JobEnd =
  /** Its image is in the result store under the token. */
  | { readonly kind: 'stored' }
  | { readonly kind: 'failed'; readonly failure: FailureData }
  /** The source replaces a result that was not ready in time (§5.2). */
  | { readonly kind: 'redirect'; readonly url: string; readonly warnings: readonly string[] }

/** Jobs that take longer than their requests, over all nodes. Each is completed by some node, even if others die. */
export interface JobQueue {
  /** Announces a job. Fails with STORE_AWAY when other nodes cannot be reached. */
  readonly announce: (ticket: JobTicket) => Promise<void>
  /** Announces the end of a job to all waiting nodes. Never fails: it retries later. */
  readonly end: (token: string, end: JobEnd) => Promise<void>
  /** The end of a job. Waits for it until `signal` fires. Fails with STORE_AWAY when other nodes cannot be reached. */
  readonly find: (token: string, signal: AbortSignal) => Promise<JobEnd | 'under way' | 'unknown'>
  /** Starts completing jobs with `see` on this node. A job whose `see` fails is given to some node again. */
  readonly work: (see: (ticket: JobTicket) => Promise<void>) => void
  readonly close: () => Promise<void>
}
