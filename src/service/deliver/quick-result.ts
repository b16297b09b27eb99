import { deadlineIn } from '../../core/deadline.ts'
import type { ResultFile } from '../../core/outcome.ts'
import type { ImageAnswer } from '../../jobs/answer.ts'
import { recall } from '../../jobs/recall.ts'
import type { RecallOnce } from '../../jobs/recall-once.ts'
import { NOT_READ, readNow, type StoreReading } from '../../jobs/store-reading.ts'
import { canImprove } from '../../plan/effort.ts'
import { lifetimeOf } from '../../source/cacheability.ts'
import {
  maySearchInBackground,
  mayShare,
  searchInBackground,
  unlessAway,
  workOnce,
} from '../optimise/resolve-result.ts'
import { answerFor } from '../optimise/respond.ts'
import type { Service } from '../service.ts'
import type { Task } from '../task.ts'
import { QUICK_SECONDS } from './delivery-cache.ts'

/** Names of a delivered result in the store: `key` of the searched result, `quickKey` of the quick one before it. */
export interface QuickKeys {
  readonly key: string
  readonly quickKey: string
}

/** The names of a missing result. */
export interface QuickTask extends QuickKeys {
  /** The first reading of the store, which found no result. */
  readonly missing: StoreReading<unknown>
  /** Whether the searched result is still needed. A purge may have removed its source's record. */
  readonly isStillNeeded: () => Promise<boolean>
}

/** A result for live delivery (§8.2). */
export interface QuickResult {
  readonly answer: ImageAnswer
  /** Whether the search continues and a smaller result may follow. */
  readonly quick: boolean
}

/** Whether a stored answer is a quick one. Only quick answers have a lifetime in the store. */
const isQuick = ({ cacheControl }: ImageAnswer): boolean => cacheControl !== undefined

const quickResultOf = (answer: ImageAnswer): QuickResult => ({ answer, quick: isQuick(answer) })

/** The stored result: the searched one, else a quick one that is fresh or is still being searched on this node. */
const recallEither = async (
  { backgroundSearches }: Service,
  { key, quickKey }: QuickKeys,
  recallOne: RecallOnce,
): Promise<StoreReading<ImageAnswer | undefined>> => {
  const searched = await recallOne(key)
  if (searched.value !== undefined) return searched
  const { value: quick } = await recallOne(quickKey)
  const isFresh = (lifetimeOf(quick?.cacheControl) ?? 0) > 0
  return { value: isFresh || backgroundSearches.isRunning(key) ? quick : undefined, askedAt: searched.askedAt }
}

/** The stored result, and the time of its reading. */
export const recallQuick = async (
  service: Service,
  keys: QuickKeys,
): Promise<StoreReading<QuickResult | undefined>> => {
  const { value, askedAt } = (await unlessAway(recallEither(service, keys, service.recall))) ?? NOT_READ
  return { value: value === undefined ? undefined : quickResultOf(value), askedAt }
}

/** Whether a background search may find a smaller result of the same quality. */
const mayImprove = ({ settings }: Service, task: Task, file: ResultFile): boolean =>
  maySearchInBackground(task) && canImprove(task.plan, settings.backgroundEffort, file.format)

/**
 * Creates a quick result and continues the search in the background. Returns undefined if the time ended without a result. Does not
 * share the work of a POST, which lasts until the end of its search.
 */
export const resolveQuick = async (service: Service, task: Task, keys: QuickTask): Promise<QuickResult | undefined> => {
  const { key, quickKey, missing } = keys
  const deadline = deadlineIn(task.options.timeout * 1000, task.request.signal)
  const result = await workOnce(service, task, {
    key,
    name: `soon ${key}`,
    lookup: async () =>
      (await recallEither(service, keys, (name) => readNow(() => recall(service.results, name)))).value,
    missing,
    deadline,
  })
  if (result !== undefined && 'found' in result) return quickResultOf(result.found)
  const quick = result === undefined || result.file.cutShort === true
  if (quick || mayImprove(service, task, result.file)) await searchInBackground(service, task, keys)
  if (result === undefined) return undefined
  const answer = answerFor(task, result)
  // The stored lifetime shows the age of the quick result.
  if (quick && mayShare(task)) await service.store(quickKey, { ...answer, cacheControl: `max-age=${QUICK_SECONDS}` })
  return { answer, quick }
}
