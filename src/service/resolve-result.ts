import { type Deadline, deadlineIn } from '../core/deadline.ts'
import { Failure } from '../core/failure.ts'
import type { Made } from '../core/outcome.ts'
import type { ImageAnswer } from '../jobs/answer.ts'
import { etagFrom, recall } from '../jobs/recall.ts'
import { digestFile, resultKey } from '../jobs/result-key.ts'
import type { JobContext, JobResult } from '../jobs/single-flight.ts'
import { mayStore } from '../source/cacheability.ts'
import type { Finish } from './finish-later.ts'
import { rescue } from './rescue.ts'
import { answerFor } from './respond.ts'
import type { Service } from './service.ts'
import type { Task } from './task.ts'

/** What the work came to: an answer, and whether an optimised image came out; no answer when time was over before anything was made. */
export interface Resolved {
  readonly answer: ImageAnswer | undefined
  readonly charge: boolean
}

/** Whether nothing was gained: the source's own bytes, all of them. Such an answer is not charged. `source`: SHA-256, hex. */
const isSource = ({ etag }: ImageAnswer, source: string): boolean => etag === etagFrom(source)

/** What is stored under a key; a store that is away costs the store, never the answer. */
const recallIfThere = (service: Service, key: string): Promise<ImageAnswer | undefined> =>
  recall(service.results, key).catch((error: unknown) => {
    if (error instanceof Failure && error.code === 'STORE_AWAY') return undefined
    throw error
  })

/** Runs the plan in a child process, under the job's deadline. */
const runJob = async (service: Service, task: Task, context: JobContext): Promise<Made> => {
  const { request, facts, plan } = task
  const { observe, pool, settings } = service
  using watched = observe.work({ id: request.id, source: facts.format, format: plan.formats.join(' or ') })
  const { source: path, directory, deadline, offer, stage } = context
  const ffmpeg = settings.ffmpegPath === undefined ? {} : { ffmpegPath: settings.ffmpegPath }
  const tell = (fault: unknown): void => observe.trouble('the search ended by a fault; its best went out', fault)
  return await rescue({ offer, signal: deadline.signal, tell }, (offered) =>
    pool.run({ path, facts, plan, directory, ...ffmpeg }, deadline, {
      account: task.account.username,
      advance: watched.advance,
      queued: (ms) => stage('queue', ms),
      stage,
      offer: offered,
    }),
  )
}

/** Works on a task together with whoever asks this node for the same at the same time. */
const workOut = async (service: Service, task: Task, flight: Flight): Promise<JobResult | undefined> => {
  const { request, spooled, facts, stages } = task
  const { observe, singleFlight } = service
  let own = false
  const result = await singleFlight.run(flight.key, spooled.path, flight.deadline, (context) => {
    own = true
    context.keep((made) => storeResult(service, task, { key: flight.key, result: made }))
    return runJob(service, task, context)
  })
  if (request.signal.aborted) throw request.signal.reason
  if (result === undefined) return undefined
  Object.assign(stages, result.stages)
  // Of work that many wait for only one tells.
  if (own) for (const [name, ms] of Object.entries(result.stages)) observe.stage(name, ms)
  if (own) observe.made(facts.bytes, result)
  return result
}

/** What is worked on, and until when. */
interface Flight {
  readonly key: string
  readonly deadline: Deadline
}

const mayShare = ({ url, spooled }: Task): boolean => url === undefined || mayStore(spooled.cacheability)

/** Stores what others may have as well; a result that was cut short is never reused (§5.2). */
const storeResult = async (
  service: Service,
  task: Task,
  { key, result }: { readonly key: string; readonly result: JobResult },
): Promise<void> => {
  if (result.made.cutShort !== true && mayShare(task)) await service.store(key, answerFor(task, result))
}

/** Searches on when no worker is wanted: what ten minutes come to is not what a request's timeout cut short. */
const finisherOf =
  (service: Service, task: Task, key: string): Finish =>
  async (path, deadline) => {
    const { facts, plan, account } = task
    const { pool, singleFlight, settings, store } = service
    const ffmpeg = settings.ffmpegPath === undefined ? {} : { ffmpegPath: settings.ffmpegPath }
    const result = await singleFlight.run(`later ${key}`, path, deadline, (context) => {
      const job = { path: context.source, directory: context.directory, facts, plan, ...ffmpeg }
      const { offer, stage } = context
      return pool.run(job, context.deadline, { account: account.username, background: true, offer, stage })
    })
    // With time left it was the service that ended: that is no end of the search.
    if (result === undefined || (deadline.signal.aborted && deadline.remaining() > 0)) return
    await store(key, answerFor(task, { ...result, made: { ...result.made, cutShort: false } }))
  }

const workAlone = async (service: Service, task: Task, flight: Flight): Promise<ImageAnswer | undefined> => {
  const result = await workOut(service, task, flight)
  if (result?.made.cutShort === true && mayShare(task))
    await service.finisher.take(flight.key, task.spooled.path, finisherOf(service, task, flight.key))
  return result === undefined ? undefined : answerFor(task, result)
}

/**
 * Single flight over all nodes: works when no other node does, else waits for what that one stores. When it stores nothing,
 * having failed, died or run out of its request's time, the next one works.
 */
const workOnce = async (service: Service, task: Task, flight: Flight): Promise<ImageAnswer | undefined> => {
  const { claims } = service
  const { key, deadline } = flight
  for (;;) {
    await using claim = await claims.claim(key)
    // Another node may have stored it between the first look and the claim.
    const known = claims.shared ? await recallIfThere(service, key) : undefined
    if (known !== undefined) return known
    if (claim !== undefined) return await workAlone(service, task, flight)
    await claims.whenFree(key, deadline.signal)
    if (task.request.signal.aborted) throw task.request.signal.reason
    if (deadline.signal.aborted) return undefined
  }
}

/** Step 5: the result, from the store when it is known already, else from a child process. */
export const resolveResult = async (service: Service, task: Task): Promise<Resolved> => {
  const { account, spooled, plan, request } = task
  const source = await digestFile(spooled.path, request.signal)
  const owner = spooled.cacheability.shareable ? {} : { owner: account.username }
  const key = resultKey(service.settings.secret, { source, plan, ...owner })
  const flight: Flight = { key, deadline: deadlineIn(task.options.timeout * 1000, request.signal) }
  // What may not be stored cannot be had from another node either.
  const work = mayShare(task) ? workOnce : workAlone
  const answer = (await recallIfThere(service, key)) ?? (await work(service, task, flight))
  return { answer, charge: answer !== undefined && !isSource(answer, source) }
}
