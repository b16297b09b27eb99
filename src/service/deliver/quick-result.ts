import { deadlineIn } from '../../core/deadline.ts'
import type { Made } from '../../core/outcome.ts'
import type { ImageAnswer } from '../../jobs/answer.ts'
import { recall } from '../../jobs/recall.ts'
import type { RecallOnce } from '../../jobs/recall-once.ts'
import { NOT_READ, readNow, type StoreReading } from '../../jobs/store-reading.ts'
import { canImprove } from '../../plan/effort.ts'
import { lifetimeOf } from '../../source/cacheability.ts'
import { finishLater, ifThere, mayFinish, mayShare, workOut } from '../optimise/resolve-result.ts'
import { answerFor } from '../optimise/respond.ts'
import type { Service } from '../service.ts'
import type { Task } from '../task.ts'
import { QUICK_SECONDS } from './delivery-cache.ts'

/** Names in the result store of one result that is delivered live: of the searched one, and of the quick one before it. */
export interface QuickKeys {
  readonly key: string
  readonly quickKey: string
}

/** A task with a quick result first. */
export interface QuickTask extends QuickKeys {
  /** The first look, which found nothing. */
  readonly missing: StoreReading<unknown>
  /** Whether it still is when the search is done: it may have been purged. */
  readonly isWanted: () => Promise<boolean>
}

/** A result that is there soon (§8.2). */
export interface QuickResult {
  readonly answer: ImageAnswer
  /** The search goes on, and a smaller one will follow. */
  readonly quick: boolean
}

/** Whether a stored answer is a quick one: those alone state how long they are of use. */
const isQuick = ({ cacheControl }: ImageAnswer): boolean => cacheControl !== undefined

const quickResultOf = (answer: ImageAnswer): QuickResult => ({ answer, quick: isQuick(answer) })

/** The stored result: the searched one, else a quick one while it is young or its search goes on here. */
const look = async (
  { backgroundSearches }: Service,
  { key, quickKey }: QuickKeys,
  ask: RecallOnce,
): Promise<StoreReading<ImageAnswer | undefined>> => {
  const searched = await ask(key)
  if (searched.value !== undefined) return searched
  const { value: quick } = await ask(quickKey)
  const isYoung = (lifetimeOf(quick?.cacheControl) ?? 0) > 0
  return { value: isYoung || backgroundSearches.isAt(key) ? quick : undefined, askedAt: searched.askedAt }
}

/** The stored result, if the store answers. */
export const recallQuick = async (
  service: Service,
  keys: QuickKeys,
): Promise<StoreReading<QuickResult | undefined>> => {
  const { value, askedAt } = (await ifThere(look(service, keys, service.recall))) ?? NOT_READ
  return { value: value === undefined ? undefined : quickResultOf(value), askedAt }
}

/** Whether an idle service makes a smaller result of the same quality later. */
const mayImprove = ({ settings }: Service, task: Task, made: Made): boolean =>
  mayFinish(task) && canImprove(task.plan, settings.backgroundEffort, made.format)

/**
 * The result that is there soon, while the search goes on in the background; undefined when time was over before anything was
 * made. Apart from what POST works on: that is waited for to its end.
 */
export const resolveQuick = async (service: Service, task: Task, keys: QuickTask): Promise<QuickResult | undefined> => {
  const { key, quickKey, missing } = keys
  const deadline = deadlineIn(task.options.timeout * 1000, task.request.signal)
  const result = await workOut(service, task, {
    key,
    name: `soon ${key}`,
    look: async () => (await look(service, keys, (name) => readNow(() => recall(service.results, name)))).value,
    missing,
    deadline,
  })
  if (result !== undefined && 'found' in result) return quickResultOf(result.found)
  const quick = result === undefined || result.made.cutShort === true
  if (quick || mayImprove(service, task, result.made)) await finishLater(service, task, keys)
  if (result === undefined) return undefined
  const answer = answerFor(task, result)
  // Its remaining lifetime shows how old it is.
  if (quick && mayShare(task)) await service.store(quickKey, { ...answer, cacheControl: `max-age=${QUICK_SECONDS}` })
  return { answer, quick }
}
