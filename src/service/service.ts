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
  /** Made by the server, never taken from a client: reservations rest on it. */
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
  /** Ends when the client has gone. */
  readonly signal: AbortSignal
  /** Called when the source is in hand: from here on the work can go on without the request. */
  readonly onSource: (source: Spooled) => void
}

/** Where a request comes from. */
export interface RequestOrigin {
  /** IP address. */
  readonly address: string
  /** It was sent on this very machine, by no web page but the service's own. */
  readonly isLocal: boolean
  /** The key that the client sent; never logged. */
  readonly key?: string
  /** Another node has admitted the request already. */
  readonly isAdmitted?: true
}

/** How much of a source is read, and for how long. */
export interface SourceLimits {
  readonly maxBytes: number
  readonly signal: AbortSignal
  /** The account that the source is fetched or received for. */
  readonly owner: string
  /** Whether an address may be asked, redirects included. */
  readonly mayAsk?: (url: URL) => boolean
  /** Validators of the known source: fetching fails with Unchanged when it has not changed. */
  readonly known?: Validators
}

export interface ServiceSettings {
  readonly limits: Limits
  /** seconds */
  readonly maxTimeout: number
  /** requests a minute; 0 = no limit */
  readonly rateLimit: number
  readonly canEncodeAnimatedAvif: boolean
  /** Of the result that a request gets, and of the one that an idle service makes of it later. */
  readonly effort: Effort
  readonly backgroundEffort: Effort
  readonly ffmpegPath?: string
  /** Result names are made with it. */
  readonly secret: Uint8Array
  readonly delivery: DeliverySettings
}

export interface DeliverySettings {
  /** How long caches may keep what its source says nothing of; seconds */
  readonly maxAge: number
  /** new results a minute of one account by unsigned addresses; 0 = no limit */
  readonly rate: number
}

/** Everything that the steps of a request use: they get it as their first argument. */
export interface Service {
  readonly settings: ServiceSettings
  readonly accounts: Accounts
  readonly results: Results
  /** The first look for a result, which many that ask for the same share. */
  readonly recall: RecallOnce
  readonly pool: Pool
  readonly singleFlight: SingleFlight
  /** Single flight over all nodes, around that of this one. */
  readonly claims: Claims
  readonly allow: Rate['allow']
  readonly guesses: GuessLimit
  readonly caps: AccountCaps
  readonly fetch: (url: URL, limits: SourceLimits) => Promise<Spooled>
  /** Keeps an answer under a name; false when the store could not take it. */
  readonly store: (key: string, answer: ImageAnswer) => Promise<boolean>
  /** Results that were cut short are finished by it. */
  readonly backgroundSearches: BackgroundSearches
  /** Where directories for single jobs are made. */
  readonly scratch: string
  /** Sources of live delivery. */
  readonly sources: SourceRecords
  /** Sources whose servers are not asked for a while, because they did not answer. */
  readonly awaySources: AwaySources
  /** Deliveries under way, which requests for the same image join. */
  readonly deliveries: SharedWork<Answer>
  readonly observe: Observer
}

/** Events for logs and metrics. */
export interface Observer {
  readonly stage: (name: string, ms: number) => void
  /** Begins work, named by the fields; it ends when the returned object is disposed of. */
  readonly work: (fields: LogFields) => Watched
  readonly made: (sourceBytes: number, result: JobResult) => void
  /** An optimised image is answered. */
  readonly served: (image: Served) => void
  readonly trouble: (what: string, error: unknown) => void
}
