import { setTimeout as sleep } from 'node:timers/promises'
import { type Deadline, deadlineIn } from '../../core/deadline.ts'
import { isStoreAway } from '../../core/failure.ts'
import type { ResultFile } from '../../core/outcome.ts'
import type { ImageAnswer } from '../../jobs/answer.ts'
import { etagFrom, recall } from '../../jobs/recall.ts'
import { resultKey } from '../../jobs/result-key.ts'
import type { JobContext, JobOutcome, JobResult } from '../../jobs/single-flight.ts'
import { isCurrent, NOT_READ, type StoreReading } from '../../jobs/store-reading.ts'
import { atEffort } from '../../plan/effort.ts'
import { mayStore } from '../../source/cacheability.ts'
import type { Service } from '../service.ts'
import type { Task } from '../task.ts'
import type { BackgroundSearch } from './background-search.ts'
import { bestEffort } from './best-effort.ts'
import { answerFor } from './respond.ts'

/** The end of the work. Without an answer, the time ended before any result. */
export interface Resolved {
  readonly answer: ImageAnswer | undefined
  /** Whether the answer is an optimised image, which is charged. */
  readonly charge: boolean
  /** SHA-256 of the source, hex. */
  readonly digest: string
  /** The name that the result is stored under. */
  readonly key: string
}

/** Whether an answer is the source's own bytes, which cost no quota. `source`: its SHA-256 in hex. */
export const isSource = ({ etag }: ImageAnswer, source: string): boolean => etag === etagFrom(source)

/** Resolves with undefined if the store does not respond, so that an outage does not fail the request. */
export const unlessAway = <Stored>(reading: Promise<Stored>): Promise<Stored | undefined> =>
  reading.catch((error: unknown) => {
    if (isStoreAway(error)) return undefined
    throw error
  })

/** Runs the plan in a child process, under the job's deadline. */
const runJob = async (service: Service, task: Task, context: JobContext): Promise<ResultFile> => {
  const { request, facts, plan } = task
  const { observe, pool, settings } = service
  const quick = task.quickAfterMs === undefined ? {} : { quickAfterMs: task.quickAfterMs }
  using watched = observe.work({ id: request.id, source: facts.format, format: plan.formats.join(' or ') })
  const { source: path, directory, deadline, offer, stage } = context
  const ffmpeg = settings.ffmpegPath === undefined ? {} : { ffmpegPath: settings.ffmpegPath }
  const onFault = (fault: unknown): void => observe.trouble('the search ended by a fault; its best went out', fault)
  return await bestEffort({ offer, signal: deadline.signal, onFault }, (offered) =>
    pool.run({ path, facts, plan, directory, ...ffmpeg, ...quick }, deadline, {
      account: task.account.username,
      advance: watched.advance,
      queued: (ms) => stage('queue', ms),
      stage,
      offer: offered,
    }),
  )
}

/** Retries of a store that does not respond, and ms before each one. Chosen, not measured. */
const RETRY = { times: 3, afterMs: 1000 }

/** Reads the result that another node has just stored. Retries an overloaded store, since the work would cost more. */
const recallFromOtherNode = async (lookup: Flight['lookup'], signal: AbortSignal): Promise<ImageAnswer | undefined> => {
  for (let time = 1; ; time += 1) {
    try {
      return await lookup()
    } catch (error) {
      if (!isStoreAway(error)) throw error
      if (time > RETRY.times) return undefined
      await sleep(RETRY.afterMs, undefined, { signal })
    }
  }
}

/**
 * Single flight over all nodes. Resolves with the stored result, or with undefined when this node should work. When another node fails,
 * dies or runs out of time, and so stores nothing, the next node works.
 */
const findOrClaim = async (
  { claims }: Service,
  { name, lookup, missing }: Flight,
  context: JobContext,
): Promise<ImageAnswer | undefined> => {
  const { signal } = context.deadline
  for (let waits = 0; ; waits += 1) {
    const claim = await claims.claim(name)
    if (claim !== undefined) context.hold(claim)
    if (isCurrent(missing, claim)) return undefined
    // Another node may have stored it since the first reading.
    const known = await (waits > 0 ? recallFromOtherNode(lookup, signal) : unlessAway(lookup()))
    if (known !== undefined || claim !== undefined) return known
    await claims.whenFree(name, signal)
    signal.throwIfAborted()
  }
}

/** Runs the work of a task once for all its requests on all nodes, unless its result is stored. */
export const workOnce = async (service: Service, task: Task, flight: Flight): Promise<JobOutcome | undefined> => {
  const { request, spooled, facts, stages } = task
  const { observe, singleFlight } = service
  let isStarter = false
  const result = await singleFlight.run(flight.name, spooled.path, flight.deadline, async (context) => {
    // Another node cannot have a result that must not be stored.
    const found = mayShare(task) ? await findOrClaim(service, flight, context) : undefined
    if (found !== undefined) return { found }
    isStarter = true
    context.keep((result) => storeResult(service, task, { key: flight.key, result }))
    return runJob(service, task, context)
  })
  if (request.signal.aborted) throw request.signal.reason
  if (result === undefined || 'found' in result) return result
  Object.assign(stages, result.stages)
  // Only the request that started the shared work reports it.
  if (isStarter) for (const [name, ms] of Object.entries(result.stages)) observe.stage(name, ms)
  if (isStarter) observe.computed(facts.bytes, result)
  return result
}

/** Work that several requests share. */
export interface Flight {
  /** The name that its result is stored under. */
  readonly key: string
  /** Requests with the same name share the work. */
  readonly name: string
  /** Reads the result that another node may have stored in the meantime. */
  readonly lookup: () => Promise<ImageAnswer | undefined>
  /** The first reading of the store, which found no result. */
  readonly missing: StoreReading<unknown>
  readonly deadline: Deadline
}

/** Whether a result may be stored, at least for its own account. */
export const mayShare = ({ url, spooled }: Task): boolean => url === undefined || mayStore(spooled.cacheability)

/** Stores a result that may be shared. A result that was cut short is never reused (§5.2). */
const storeResult = async (
  service: Service,
  task: Task,
  { key, result }: { readonly key: string; readonly result: JobResult },
): Promise<void> => {
  if (result.file.cutShort !== true && mayShare(task)) await service.store(key, answerFor(task, result))
}

/** Maximum pixels for a background search. Larger images could need ten minutes and gigabytes. Chosen, not measured. */
const MAX_BACKGROUND_PIXELS = 25e6

/** Whether the image is small enough for a background search. */
export const maySearchInBackground = ({ facts }: Task): boolean =>
  facts.width * facts.height * facts.frames <= MAX_BACKGROUND_PIXELS

/** Whether a finished result is still needed. A purge may have removed its source's record. */
type IsStillNeeded = () => Promise<boolean>

/** Whether the store has no result, or a larger one, under a name. */
const isSmaller = async ({ results }: Service, key: string, bytes: number): Promise<boolean> =>
  bytes < ((await results.get(key))?.meta.bytes ?? Number.POSITIVE_INFINITY)

/** Returns the repeated search of a task: at the background's effort, without the request's timeout. */
const repeatedSearch =
  (
    service: Service,
    task: Task,
    { key, isStillNeeded }: { readonly key: string; readonly isStillNeeded: IsStillNeeded },
  ): BackgroundSearch =>
  async (path, deadline) => {
    const { facts, account } = task
    const { pool, singleFlight, settings, store, claims } = service
    const effort = task.plan.effort ?? settings.backgroundEffort
    const plan = atEffort(task.plan, effort)
    await using claim = await claims.claim(`later ${key}`)
    // Another node is searching.
    if (claim === undefined) return true
    const ffmpeg = settings.ffmpegPath === undefined ? {} : { ffmpegPath: settings.ffmpegPath }
    const result = await singleFlight.run(`later ${key}`, path, deadline, (context) => {
      const job = { path: context.source, directory: context.directory, facts, plan, ...ffmpeg }
      const { offer, stage } = context
      return pool.run(job, context.deadline, { account: account.username, background: true, offer, stage })
    })
    // Aborted with time left: the service is closing, and the search has not ended.
    if (result === undefined || 'found' in result || (deadline.signal.aborted && deadline.remaining() > 0)) return false
    if (!(await isStillNeeded())) throw new Error('the source record of this result was purged in the meantime')
    if (plan.effort !== task.plan.effort && !(await isSmaller(service, key, result.file.bytes))) return true
    return store(key, answerFor(task, { ...result, file: { ...result.file, cutShort: false } }))
  }

/** Repeats the search in the background, and stores the result if it is still needed. */
export const searchInBackground = async (
  service: Service,
  task: Task,
  { key, isStillNeeded = async () => true }: { readonly key: string; readonly isStillNeeded?: IsStillNeeded },
): Promise<void> => {
  if (mayShare(task))
    await service.backgroundSearches.start(
      key,
      task.spooled.path,
      repeatedSearch(service, task, { key, isStillNeeded }),
    )
}

/** Returns the answer of the work. Continues a search in the background if the timeout cut it short. */
const work = async (service: Service, task: Task, flight: Flight): Promise<ImageAnswer | undefined> => {
  const result = await workOnce(service, task, flight)
  if (result === undefined) return undefined
  if ('found' in result) return result.found
  if (result.file.cutShort === true && maySearchInBackground(task)) await searchInBackground(service, task, flight)
  return answerFor(task, result)
}

/** The name under which the result of a plan is stored. */
export const keyOf = (
  service: Service,
  { account, plan }: Pick<Task, 'account' | 'plan'>,
  source: { readonly digest: string; readonly shareable: boolean },
): string => {
  const owner = source.shareable ? {} : { owner: account.username }
  return resultKey(service.settings.secret, { source: source.digest, plan, ...owner })
}

/** Step 5: returns the result from the store or from a child process. */
export const resolveResult = async (service: Service, task: Task): Promise<Resolved> => {
  const { spooled, request } = task
  const { digest } = spooled
  const key = keyOf(service, task, { digest, shareable: spooled.cacheability.shareable })
  const deadline = deadlineIn(task.options.timeout * 1000, request.signal)
  const first = (await unlessAway(service.recall(key))) ?? NOT_READ
  const flight: Flight = { key, name: key, lookup: () => recall(service.results, key), missing: first, deadline }
  const answer = first.value ?? (await work(service, task, flight))
  return { answer, charge: answer !== undefined && !isSource(answer, digest), digest, key }
}
