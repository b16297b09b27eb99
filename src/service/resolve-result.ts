import { deadlineIn } from '../core/deadline.ts'
import { Failure } from '../core/failure.ts'
import type { Made } from '../core/outcome.ts'
import type { ImageAnswer } from '../jobs/answer.ts'
import { etagFrom, recall } from '../jobs/deferred.ts'
import { digestFile, resultKey } from '../jobs/result-key.ts'
import type { JobContext, JobResult } from '../jobs/single-flight.ts'
import type { Spooled } from '../source/spool.ts'
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

/** Nothing is kept of what its owner wants nowhere stored. */
const mayStore = (spooled: Spooled): boolean => spooled.cacheability.cacheControl?.includes('no-store') !== true

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
      advance: watched.advance,
      queued: (ms) => stage('queue', ms),
      stage,
      offer: offered,
    }),
  )
}

/** Works on a task together with whoever asks for the same at the same time. */
const workOut = async (service: Service, task: Task, key: string): Promise<JobResult | undefined> => {
  const { request, spooled, facts, stages } = task
  const { observe, singleFlight } = service
  const deadline = deadlineIn(task.options.timeout * 1000, request.signal)
  let own = false
  const result = await singleFlight.run(key, spooled.path, deadline, (context) => {
    own = true
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

/** Step 5: the result, from the store when it is known already, else from a child process. */
export const resolveResult = async (service: Service, task: Task): Promise<Resolved> => {
  const { account, spooled, plan, request } = task
  const source = await digestFile(spooled.path, request.signal)
  const owner = spooled.cacheability.shareable ? {} : { owner: account.username }
  const key = resultKey(service.settings.secret, { source, plan, ...owner })
  const known = await recallIfThere(service, key)
  if (known !== undefined) return { answer: known, charge: !isSource(known, source) }
  const result = await workOut(service, task, key)
  if (result === undefined) return { answer: undefined, charge: false }
  const answer = answerFor(task, result)
  const mayKeep = result.made.cutShort !== true && (task.url === undefined || mayStore(spooled))
  if (mayKeep) await service.store(key, answer)
  return { answer, charge: !isSource(answer, source) }
}
