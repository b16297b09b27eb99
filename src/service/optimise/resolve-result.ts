import { setTimeout as sleep } from 'node:timers/promises'
import { type Deadline, deadlineIn } from '../../core/deadline.ts'
import { Failure } from '../../core/failure.ts'
import type { Made } from '../../core/outcome.ts'
import type { ImageAnswer } from '../../jobs/answer.ts'
import { etagFrom, recall } from '../../jobs/recall.ts'
import { resultKey } from '../../jobs/result-key.ts'
import type { JobContext, JobOutcome, JobResult } from '../../jobs/single-flight.ts'
import { isCurrent, NOT_READ, type StoreReading } from '../../jobs/store-reading.ts'
import { atEffort } from '../../plan/effort.ts'
import { mayStore } from '../../source/cacheability.ts'
import type { Service } from '../service.ts'
import type { Task } from '../task.ts'
import type { Finish } from './background-search.ts'
import { bestEffort } from './best-effort.ts'
import { answerFor } from './respond.ts'

/** End of the work: the answer, and whether it is an optimised image; no answer when the time ended before any result. */
export interface Resolved {
  readonly answer: ImageAnswer | undefined
  readonly charge: boolean
  /** SHA-256 of the source, hex, and the name that the result is stored under. */
  readonly digest: string
  readonly key: string
}

/** Whether nothing was gained: the source's own bytes, all of them. Such an answer is not charged. `source`: SHA-256, hex. */
export const isSource = ({ etag }: ImageAnswer, source: string): boolean => etag === etagFrom(source)

const isAway = (error: unknown): boolean => error instanceof Failure && error.code === 'STORE_AWAY'

/** The stored value. A store that is away counts as empty and does not fail the request. */
export const ifThere = <Stored>(looking: Promise<Stored>): Promise<Stored | undefined> =>
  looking.catch((error: unknown) => {
    if (isAway(error)) return undefined
    throw error
  })

/** Runs the plan in a child process, under the job's deadline. */
const runJob = async (service: Service, task: Task, context: JobContext): Promise<Made> => {
  const { request, facts, plan } = task
  const { observe, pool, settings } = service
  const soon = task.soonMs === undefined ? {} : { soonMs: task.soonMs }
  using watched = observe.work({ id: request.id, source: facts.format, format: plan.formats.join(' or ') })
  const { source: path, directory, deadline, offer, stage } = context
  const ffmpeg = settings.ffmpegPath === undefined ? {} : { ffmpegPath: settings.ffmpegPath }
  const onFault = (fault: unknown): void => observe.trouble('the search ended by a fault; its best went out', fault)
  return await bestEffort({ offer, signal: deadline.signal, onFault }, (offered) =>
    pool.run({ path, facts, plan, directory, ...ffmpeg, ...soon }, deadline, {
      account: task.account.username,
      advance: watched.advance,
      queued: (ms) => stage('queue', ms),
      stage,
      offer: offered,
    }),
  )
}

/** How often, and after how many ms, a store that does not answer is asked again for what another node has just stored in it. */
const ASK_AGAIN = { times: 3, afterMs: 1000 }

/** The result that another node has just stored. Waits for a store that is overloaded for a moment: the alternative is to do the work again. */
const recallOfOther = async (look: Flight['look'], signal: AbortSignal): Promise<ImageAnswer | undefined> => {
  for (let time = 1; ; time += 1) {
    try {
      return await look()
    } catch (error) {
      if (!isAway(error)) throw error
      if (time > ASK_AGAIN.times) return undefined
      await sleep(ASK_AGAIN.afterMs, undefined, { signal })
    }
  }
}

/**
 * Single flight over all nodes: resolves with what is stored, or with nothing when it is this node's turn to work. When
 * another node stores nothing, having failed, died or run out of its request's time, the next one works.
 */
const findOrClaim = async (
  { claims }: Service,
  { name, look, missing }: Flight,
  context: JobContext,
): Promise<ImageAnswer | undefined> => {
  const { signal } = context.deadline
  for (let others = 0; ; others += 1) {
    const claim = await claims.claim(name)
    if (claim !== undefined) context.hold(claim)
    if (isCurrent(missing, claim)) return undefined
    // Somebody may have stored it between the first look and this one.
    const known = await (others > 0 ? recallOfOther(look, signal) : ifThere(look()))
    if (known !== undefined || claim !== undefined) return known
    await claims.whenFree(name, signal)
    signal.throwIfAborted()
  }
}

/** Works on a task once for all requests for it on this node, unless its result is stored. */
export const workOut = async (service: Service, task: Task, flight: Flight): Promise<JobOutcome | undefined> => {
  const { request, spooled, facts, stages } = task
  const { observe, singleFlight } = service
  let own = false
  const result = await singleFlight.run(flight.name, spooled.path, flight.deadline, async (context) => {
    // A result that may not be stored cannot come from another node either.
    const found = mayShare(task) ? await findOrClaim(service, flight, context) : undefined
    if (found !== undefined) return { found }
    own = true
    context.keep((made) => storeResult(service, task, { key: flight.key, result: made }))
    return runJob(service, task, context)
  })
  if (request.signal.aborted) throw request.signal.reason
  if (result === undefined || 'found' in result) return result
  Object.assign(stages, result.stages)
  // Only one of the requests that share the work reports it.
  if (own) for (const [name, ms] of Object.entries(result.stages)) observe.stage(name, ms)
  if (own) observe.made(facts.bytes, result)
  return result
}

/** Work that requests share: its keys and its deadline. */
export interface Flight {
  /** Its result is stored under it. */
  readonly key: string
  /** Whoever works under the same name shares the work. */
  readonly name: string
  /** Looks for what another node stored meanwhile. */
  readonly look: () => Promise<ImageAnswer | undefined>
  /** The first look, which found nothing. */
  readonly missing: StoreReading<unknown>
  readonly deadline: Deadline
}

/** Whether a result may be stored, for its account at least. */
export const mayShare = ({ url, spooled }: Task): boolean => url === undefined || mayStore(spooled.cacheability)

/** Stores what others may have as well; a result that was cut short is never reused (§5.2). */
const storeResult = async (
  service: Service,
  task: Task,
  { key, result }: { readonly key: string; readonly result: JobResult },
): Promise<void> => {
  if (result.made.cutShort !== true && mayShare(task)) await service.store(key, answerFor(task, result))
}

/** Larger images are not finished after a timeout: that would take up to ten minutes and gigabytes for a result that no client waits for. */
const MAX_FINISHED_PIXELS = 25e6

export const mayFinish = ({ facts }: Task): boolean => facts.width * facts.height * facts.frames <= MAX_FINISHED_PIXELS

/** Whether a result is still wanted when it is there. */
type IsWanted = () => Promise<boolean>

/** Whether nothing is stored under a name, or something larger. */
const isSmaller = async ({ results }: Service, key: string, bytes: number): Promise<boolean> =>
  bytes < ((await results.get(key))?.meta.bytes ?? Number.POSITIVE_INFINITY)

/** Searches again when workers are idle, at the background's effort, for up to ten minutes instead of a request's timeout. */
const finisherOf =
  (service: Service, task: Task, { key, isWanted }: { readonly key: string; readonly isWanted: IsWanted }): Finish =>
  async (path, deadline) => {
    const { facts, account } = task
    const { pool, singleFlight, settings, store, claims } = service
    const effort = task.plan.effort ?? settings.backgroundEffort
    const plan = atEffort(task.plan, effort)
    await using claim = await claims.claim(`later ${key}`)
    // Another node is at it.
    if (claim === undefined) return true
    const ffmpeg = settings.ffmpegPath === undefined ? {} : { ffmpegPath: settings.ffmpegPath }
    const result = await singleFlight.run(`later ${key}`, path, deadline, (context) => {
      const job = { path: context.source, directory: context.directory, facts, plan, ...ffmpeg }
      const { offer, stage } = context
      return pool.run(job, context.deadline, { account: account.username, background: true, offer, stage })
    })
    // With time left it was the service that ended: that is no end of the search.
    if (result === undefined || 'found' in result || (deadline.signal.aborted && deadline.remaining() > 0)) return false
    if (!(await isWanted())) throw new Error('what this was to be delivered from was purged meanwhile')
    if (plan.effort !== task.plan.effort && !(await isSmaller(service, key, result.made.bytes))) return true
    return store(key, answerFor(task, { ...result, made: { ...result.made, cutShort: false } }))
  }

/** Repeats the search in the background, and stores the result if it is still wanted. */
export const finishLater = async (
  service: Service,
  task: Task,
  { key, isWanted = async () => true }: { readonly key: string; readonly isWanted?: IsWanted },
): Promise<void> => {
  if (mayShare(task))
    await service.backgroundSearches.take(key, task.spooled.path, finisherOf(service, task, { key, isWanted }))
}

/** The answer of the work. When it was cut short, the search goes on once workers are idle. */
const work = async (service: Service, task: Task, flight: Flight): Promise<ImageAnswer | undefined> => {
  const result = await workOut(service, task, flight)
  if (result === undefined) return undefined
  if ('found' in result) return result.found
  if (result.made.cutShort === true && mayFinish(task)) await finishLater(service, task, flight)
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

/** Step 5: the result, from the store when it is known already, else from a child process. */
export const resolveResult = async (service: Service, task: Task): Promise<Resolved> => {
  const { spooled, request } = task
  const { digest } = spooled
  const key = keyOf(service, task, { digest, shareable: spooled.cacheability.shareable })
  const deadline = deadlineIn(task.options.timeout * 1000, request.signal)
  const first = (await ifThere(service.recall(key))) ?? NOT_READ
  const flight: Flight = { key, name: key, look: () => recall(service.results, key), missing: first, deadline }
  const answer = first.value ?? (await work(service, task, flight))
  return { answer, charge: answer !== undefined && !isSource(answer, digest), digest, key }
}
