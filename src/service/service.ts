import type { Effort } from '../core/effort.ts'
import type { Pool } from '../engine/pool/pool.ts'
import type { Answer, ImageAnswer } from '../jobs/answer.ts'
import type { RecallOnce } from '../jobs/recall-once.ts'
import type { JobResult, SingleFlight } from '../jobs/single-flight.ts'
import type { SourceRecords } from '../jobs/source-records.ts'
import type { Limits } from '../plan/plan.ts'
import type { Accounts } from '../ports/accounts.ts'
import type { Claims } from '../ports/jobs.ts'
import type { Rate } from '../ports/rate.ts'
import type { Results } from '../ports/results.ts'
import type { LogFields, Served } from '../ports/telemetry.ts'
import type { Validators } from '../source/cacheability.ts'
import type { Spooled } from '../source/spool.ts'
import type { SharedWork } from '../support/shared-work.ts'
import type { AccountCaps } from './accounts/account-caps.ts'
import type { GuessLimit } from './accounts/guess-limit.ts'
import type { AwaySources } from './deliver/away-sources.ts'
import type { BackgroundSearches } from './optimise/background-search.ts'
import type { Watched } from './optimise/work-watch.ts'

/** A request to the service, independent of HTTP. */
export interface OptimiseRequest {
  /** Id from the server or a trusted proxy. It identifies the reservation of quota. */
  readonly id: string
  readonly username: string
  /** The raw option segment. */
  readonly options: string | undefined
  /** The raw image address; undefined for an upload. */
  readonly imageUrl: string | undefined
  /** Reads the request's body as an upload. */
  readonly receive: (limits: SourceLimits) => Promise<Spooled>
  readonly accept: { readonly webp: boolean; readonly avif: boolean; readonly jxl?: boolean }
  readonly origin: RequestOrigin
  /** Aborted when the client disconnects. */
  readonly signal: AbortSignal
  /** Called when the source has arrived. From then on the work can continue without the request. */
  readonly onSource: (source: Spooled) => void
}

/** The client of a request. */
export interface RequestOrigin {
  /** IP address. */
  readonly address: string
  /** Whether a program on this machine, or a page of the service itself, sent the request. */
  readonly isLocal: boolean
  /** The key that the client sent; never logged. */
  readonly key?: string
  /** Set if another node has admitted the request. */
  readonly isAdmitted?: true
}

/** Limits for fetching or receiving a source. */
export interface SourceLimits {
  readonly maxBytes: number
  readonly signal: AbortSignal
  /** The account that the source is fetched or received for. */
  readonly owner: string
  /** Whether an address may be fetched. Called for redirects too. */
  readonly mayFetch?: (url: URL) => boolean
  /** Validators of the known source. Fetching fails with Unchanged if the source has not changed. */
  readonly known?: Validators
}

/** Settings of the service. */
export interface ServiceSettings {
  readonly limits: Limits
  /** Maximum seconds of timeout=. */
  readonly maxTimeout: number
  /** Requests per minute of an account. 0: no limit. */
  readonly rateLimit: number
  readonly canEncodeAnimatedAvif: boolean
  /** Effort of the search for a request. */
  readonly effort: Effort
  /** Effort of background searches. */
  readonly backgroundEffort: Effort
  readonly ffmpegPath?: string
  /** Key of the names of results. */
  readonly secret: Uint8Array
  readonly delivery: DeliverySettings
}

/** Settings of live delivery. */
export interface DeliverySettings {
  /** Lifetime in caches of a result whose source states none, in seconds. */
  readonly maxAge: number
  /** New results per minute of one account by unsigned addresses. 0: no limit. */
  readonly rate: number
}

/** The dependencies of all steps of a request, passed as their first argument. */
export interface Service {
  readonly settings: ServiceSettings
  readonly accounts: Accounts
  readonly results: Results
  /** Reads a stored result. Concurrent requests for the same one share the read. */
  readonly recall: RecallOnce
  readonly pool: Pool
  readonly singleFlight: SingleFlight
  /** Single flight over all nodes. `singleFlight` is that of this node. */
  readonly claims: Claims
  readonly allow: Rate['allow']
  readonly guesses: GuessLimit
  readonly caps: AccountCaps
  readonly fetch: (url: URL, limits: SourceLimits) => Promise<Spooled>
  /** Stores an answer. False when the store does not accept it. */
  readonly store: (key: string, answer: ImageAnswer) => Promise<boolean>
  readonly backgroundSearches: BackgroundSearches
  /** Parent of the directories of jobs. */
  readonly scratch: string
  /** Records of sources for live delivery. */
  readonly sources: SourceRecords
  /** Sources whose servers recently failed to respond. The service sends them no requests for a while. */
  readonly awaySources: AwaySources
  /** Running deliveries, which requests for the same image join. */
  readonly deliveries: SharedWork<Answer>
  readonly observe: Observer
}

/** Events for logs and metrics. */
export interface Observer {
  /** Records the duration of a stage. */
  readonly stage: (name: string, ms: number) => void
  /** Registers work until it is disposed of. The fields identify it. */
  readonly work: (fields: LogFields) => Watched
  /** Records the result of a search. */
  readonly computed: (sourceBytes: number, result: JobResult) => void
  /** Records an image that is sent to a client. */
  readonly served: (image: Served) => void
  /** Logs an error that does not fail the request. */
  readonly trouble: (what: string, error: unknown) => void
}
