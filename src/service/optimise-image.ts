import { deadlineIn } from '../core/deadline.ts'
import { fail } from '../core/failure.ts'
import { CONTENT_TYPES, type SourceFacts } from '../core/image.ts'
import type { Pool } from '../engine/pool/pool.ts'
import type { Answer, ImageAnswer } from '../jobs/answer.ts'
import { etagFrom, etagOf, recall } from '../jobs/deferred.ts'
import { digestFile, resultKey } from '../jobs/result-key.ts'
import type { JobResult, SingleFlight } from '../jobs/single-flight.ts'
import type { Options } from '../options/options.ts'
import { parseOptions } from '../options/parse.ts'
import { makePlan } from '../plan/make-plan.ts'
import type { Limits, Plan } from '../plan/plan.ts'
import type { Account, Accounts } from '../ports/accounts.ts'
import type { Results } from '../ports/results.ts'
import type { LogFields } from '../ports/telemetry.ts'
import { identify } from '../source/identify.ts'
import { isMisplacedUrl, readImageUrl } from '../source/image-url.ts'
import type { Spooled } from '../source/spool.ts'
import { answerLate } from './answer-late.ts'
import { authorise, usedUp } from './authorise.ts'
import { refuseDemo } from './demo.ts'
import { rescue } from './rescue.ts'
import type { Watched } from './work-watch.ts'

/** What a request brings that the service needs to know; HTTP stays outside. */
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
  readonly accept: { readonly webp: boolean; readonly avif: boolean }
  readonly origin: { readonly beyondLoopback: boolean; readonly forwarded: boolean }
  /** Ends when the client has gone. */
  readonly signal: AbortSignal
  /** Called when the source is in hand: from here on the work can go on without the request. */
  readonly onSource: () => void
}

export interface SourceLimits {
  readonly maxBytes: number
  readonly signal: AbortSignal
}

export interface ServiceSettings {
  readonly limits: Limits
  /** seconds */
  readonly maxTimeout: number
  /** requests a minute; 0 = no limit */
  readonly rateLimit: number
  readonly canEncodeAnimatedAvif: boolean
  readonly ffmpegPath?: string
  /** Result names are made with it. */
  readonly secret: Uint8Array
}

export interface Service {
  readonly settings: ServiceSettings
  readonly accounts: Accounts
  readonly results: Results
  readonly pool: Pool
  readonly singleFlight: SingleFlight
  readonly allow: (username: string, perMinute: number) => boolean
  readonly fetch: (url: URL, limits: SourceLimits) => Promise<Spooled>
  /** Keeps an answer under a name; false when the store could not take it. */
  readonly store: (key: string, answer: ImageAnswer) => Promise<boolean>
  readonly observe: Observer
}

/** What is worth telling to logs and metrics. */
export interface Observer {
  readonly stage: (name: string, ms: number) => void
  /** Work that begins, named by the fields; it ends when what is returned is disposed of. */
  readonly work: (fields: LogFields) => Watched
  readonly made: (sourceBytes: number, result: JobResult) => void
  readonly trouble: (what: string, error: unknown) => void
}

/** A request that was judged and admitted, its options read. */
export interface Judged {
  readonly account: Account
  readonly options: Options
  readonly warnings: readonly string[]
  /** Absent for an upload. */
  readonly url: URL | undefined
}

/** Username, then options, then address, in the order of §6; nothing is spent by it. */
export const judge = async (
  service: Service,
  request: Omit<OptimiseRequest, 'receive' | 'onSource'>,
): Promise<Judged> => {
  const account = await authorise(service.accounts, request.username)
  refuseDemo(account.username, request.origin)
  if (request.options === undefined) throw fail('OPTIONS_MISSING')
  if (isMisplacedUrl(request.options)) throw fail('IMAGE_URL_IN_OPTIONS')
  const parsed = parseOptions(request.options, { maxTimeout: account.limits.maxTimeout ?? service.settings.maxTimeout })
  if (parsed.kind === 'wrong') throw parsed.failure
  const url = request.imageUrl === undefined ? undefined : readImageUrl(request.imageUrl)
  return { account, options: parsed.options, warnings: parsed.warnings, url }
}

const limitsOf = (service: Service, account: Account): Limits => ({
  ...service.settings.limits,
  ...(account.limits.maxBytes === undefined ? {} : { maxBytes: account.limits.maxBytes }),
  ...(account.limits.maxPixels === undefined ? {} : { maxPixels: account.limits.maxPixels }),
  ...(account.limits.maxSide === undefined ? {} : { maxSide: account.limits.maxSide }),
})

/** Everything that one request's work needs to know. */
interface Task extends Judged {
  readonly request: OptimiseRequest
  readonly spooled: Spooled
  readonly facts: SourceFacts
  readonly plan: Plan
  readonly stages: Record<string, number>
}

/** Runs `work` and notes how long it took under `name`. */
const timed = async <T>(
  service: Service,
  stages: Record<string, number>,
  name: string,
  work: () => Promise<T>,
): Promise<T> => {
  const since = performance.now()
  try {
    return await work()
  } finally {
    stages[name] = performance.now() - since
    service.observe.stage(name, stages[name])
  }
}

/** Whether nothing was gained: the source's own bytes, all of them. Such an answer is not charged. `source`: SHA-256, hex. */
const isSource = ({ etag }: ImageAnswer, source: string): boolean => etag === etagFrom(source)

/** Nothing is kept of what its owner wants nowhere stored. */
const mayStore = (spooled: Spooled): boolean => spooled.cacheability.cacheControl?.includes('no-store') !== true

const factsOf = (made: JobResult['made'], facts: SourceFacts): Record<string, string> => ({
  'x-source-bytes': String(facts.bytes),
  'x-encodes': String(made.encodes),
  ...(made.score === undefined ? {} : { 'x-score': made.score.toFixed(2) }),
  ...(made.loopCount === undefined ? {} : { 'x-loop-count': String(made.loopCount) }),
})

const CUT_SHORT =
  'The timeout expired before the search ended: this is the best result so far. Raise timeout= for a smaller one.'

/** The answer for a result that was made, with the warnings that belong to the result itself. */
const answerFor = (task: Task, result: JobResult): ImageAnswer => ({
  kind: 'image',
  contentType: CONTENT_TYPES[result.made.format],
  body: result.body,
  bytes: result.body.length,
  etag: etagOf(result.body),
  warnings: [...result.made.warnings, ...(result.made.cutShort === true ? [CUT_SHORT] : [])],
  stages: result.stages,
  facts: factsOf(result.made, task.facts),
  variesByAccept: task.options.format === 'auto',
})

/** Works on a task, together with whoever asks for the same at the same time; `charge` tells whether an optimised image came out. */
const work = async (service: Service, task: Task): Promise<{ readonly answer: Answer; readonly charge: boolean }> => {
  const { account, spooled, facts, plan, stages, request } = task
  const source = await digestFile(spooled.path, request.signal)
  const shared = spooled.cacheability.shareable
  const key = resultKey(service.settings.secret, { source, plan, ...(shared ? {} : { owner: account.username }) })
  const known = await recall(service.results, key)
  if (known !== undefined) return { answer: known, charge: !isSource(known, source) }
  const deadline = deadlineIn(task.options.timeout * 1000, request.signal)
  let own = false
  const result = await service.singleFlight.run(key, spooled.path, deadline, async (context) => {
    own = true
    using watched = service.observe.work({ id: request.id, source: facts.format, format: plan.formats.join(' or ') })
    const { ffmpegPath } = service.settings
    const job = {
      path: context.source,
      facts,
      plan,
      directory: context.directory,
      ...(ffmpegPath === undefined ? {} : { ffmpegPath }),
    }
    const { deadline: end, offer, stage } = context
    const tell = (fault: unknown): void =>
      service.observe.trouble('the search ended by a fault; its best went out', fault)
    return await rescue({ offer, signal: end.signal, tell }, (offered) =>
      service.pool.run(job, end, {
        advance: watched.advance,
        queued: (ms) => stage('queue', ms),
        stage,
        offer: offered,
      }),
    )
  })
  if (request.signal.aborted) throw request.signal.reason
  if (result === undefined) return { answer: await answerLate(task), charge: false }
  for (const [name, ms] of Object.entries(result.stages)) {
    stages[name] = ms
    // Of work that many wait for only one tells.
    if (own) service.observe.stage(name, ms)
  }
  if (own) service.observe.made(facts.bytes, result)
  const answer = answerFor(task, result)
  if (result.made.cutShort !== true && (task.url === undefined || mayStore(spooled))) await service.store(key, answer)
  return { answer, charge: !isSource(answer, source) }
}

/** Adds to an answer what belongs to this request alone. */
const personal = (task: Task, answer: Answer): Answer => {
  const warnings = [...task.warnings, ...task.plan.warnings, ...answer.warnings]
  const stages = { ...task.stages, ...answer.stages }
  if (answer.kind === 'redirect') return { ...answer, warnings, stages }
  const { cacheControl } = task.spooled.cacheability
  const variesByAccept = task.options.format === 'auto'
  return { ...answer, warnings, stages, variesByAccept, ...(cacheControl === undefined ? {} : { cacheControl }) }
}

/** The whole way of one request, from its username to its answer. Fails with a Failure, or with the signal's reason. */
export const optimiseImage = async (service: Service, request: OptimiseRequest): Promise<Answer> => {
  const judged = await judge(service, request)
  const { account } = judged
  const rate = account.limits.rate ?? service.settings.rateLimit
  if (rate > 0 && !service.allow(account.username, rate)) throw fail('TOO_MANY_REQUESTS', rate)
  // Told at once, before anything is fetched for it (§7).
  if (service.pool.isFull()) throw fail('OVERLOADED')
  if (!(await service.accounts.reserve(account.username, request.id))) throw usedUp(account)
  let charge = false
  try {
    const limits = limitsOf(service, account)
    const stages: Record<string, number> = {}
    const { url } = judged
    const source: SourceLimits = { maxBytes: limits.maxBytes, signal: request.signal }
    await using spooled = await timed(service, stages, url === undefined ? 'upload' : 'fetch', () =>
      url === undefined ? request.receive(source) : service.fetch(url, source),
    )
    request.onSource()
    const facts = await identify(spooled.path)
    const plan = makePlan(judged.options, facts, {
      limits,
      acceptWebp: request.accept.webp,
      acceptAvif: request.accept.avif,
      canEncodeAnimatedAvif: service.settings.canEncodeAnimatedAvif,
    })
    const task: Task = { ...judged, request, spooled, facts, plan, stages }
    const done = await work(service, task)
    charge = done.charge
    return personal(task, done.answer)
  } finally {
    await (charge ? service.accounts.settle(request.id) : service.accounts.release(request.id)).catch((error) =>
      service.observe.trouble('the account could not be settled', error),
    )
  }
}
