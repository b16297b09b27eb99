import { createHash, randomUUID } from 'node:crypto'
import { type Failure, fail } from '../../core/failure.ts'
import type { Answer, ImageAnswer } from '../../jobs/answer.ts'
import { isCurrent } from '../../jobs/store-reading.ts'
import { DAILY_ID_PREFIX } from '../../ports/accounts.ts'
import type { JobClaim } from '../../ports/jobs.ts'
import { mayStore } from '../../source/cacheability.ts'
import { readImageUrl } from '../../source/image-url.ts'
import { admitNewResult, admitWork, type Reservation } from '../accounts/admit.ts'
import {
  findAccount,
  type IdentifiedRequest,
  identifyRequest,
  type ReadRequest,
  readIdentified,
} from '../accounts/read-request.ts'
import { asFallback, lacksImage } from '../optimise/fallback.ts'
import { isSource } from '../optimise/resolve-result.ts'
import { savedAs, servedOf } from '../optimise/respond.ts'
import { answerAtTimeout } from '../optimise/timeout-answer.ts'
import type { OptimiseRequest, Service } from '../service.ts'
import type { Task } from '../task.ts'
import { type Delivered, deliveryControl, untilExpiry } from './delivery-cache.ts'
import { deliveryRight } from './delivery-right.ts'
import {
  type DeliverySource,
  type FetchedSource,
  fetchForDelivery,
  findSource,
  isFreshNow,
  nameOf,
  remember,
  type SourceRequest,
} from './delivery-source.ts'
import { type DeliveryTask, type Known, type KnownResult, prepare, readKnown, readResult } from './known-delivery.ts'
import { type QuickResult, resolveQuick } from './quick-result.ts'

/** ms of work after which a quick result is accepted (§8.2). Animations need longer. Chosen, not measured. */
const QUICK_MS = { still: 300, moving: 1500 } as const

/** Whether an account has live delivery. Fails as {@link findAccount} does. */
export const delivers = async (
  service: Service,
  request: Pick<OptimiseRequest, 'username' | 'origin'>,
): Promise<boolean> => (await findAccount(service, request)).delivery !== undefined

/**
 * The right of an address to be delivered (§8.1). Fails with DELIVERY_REFUSED, or as the image's address does. Checked before the
 * options, so that a client without the right cannot see whether the account has live delivery.
 */
export const rightOf = (
  identified: IdentifiedRequest,
  { username, imageUrl, options = '' }: Pick<OptimiseRequest, 'username' | 'imageUrl' | 'options'>,
) => {
  const { account, ...signing } = identified
  if (imageUrl === undefined) throw fail('IMAGE_URL_MISSING')
  const url = readImageUrl(imageUrl)
  const signed = { username, imageUrl, segment: options, ...signing }
  const right = deliveryRight(account.delivery ?? { hosts: [], keys: [] }, url, signed)
  if (right.kind === 'refused') throw fail('DELIVERY_REFUSED', right.lacks)
  const elsewhere = right.kind === 'signed' ? right.elsewhere : undefined
  return { url, right: right.kind, ...(elsewhere === undefined ? {} : { redirect: redirectTo(elsewhere) }) }
}

const redirectTo = (path: string): Answer => ({
  kind: 'redirect',
  to: { kind: 'address', path },
  warnings: [],
  stages: {},
})

/** The key of a delivery before its source is known. Concurrent deliveries with the same key share their work. */
const nameOfDelivery = ({ account, url, right, options, request }: DeliveryTask): string =>
  JSON.stringify([account.username, url.href, right, options, request.accept])

/** A result to charge. */
interface Payable {
  readonly key: string
  /** Whether it may be stored. Otherwise each request repeats the work, and each is charged. */
  readonly isKept: boolean
  /** Whether the request was already counted, before the source was fetched. */
  readonly isAdmitted: boolean
}

/** Reserves quota for a new result. All requests and nodes share one charge for the same stored result within a day (§8.3). */
export const payOnce = async (
  service: Service,
  { account, right, options }: Pick<SourceRequest, 'account' | 'right'> & Pick<ReadRequest, 'options'>,
  { key, isKept, isAdmitted }: Payable,
): Promise<Reservation> => {
  const { timeout } = options
  if (!isAdmitted) await admitNewResult(service, { account, right, timeout })
  const id = isKept
    ? createHash('sha256').update(`${account.username} ${key}`).digest('hex').slice(0, 48)
    : randomUUID()
  return admitWork(service, account, { id: `${DAILY_ID_PREFIX}${id}`, jointly: true, timeout, isAdmitted: true })
}

/** The delivery and source of a response. */
interface Outcome {
  readonly delivery: DeliveryTask
  readonly source: DeliverySource
  readonly warnings: readonly string[]
}

const STALE = 'The server of the image does not answer: this is the stored image.'

const kindOf = ({ stale }: DeliverySource, quick: boolean): Delivered =>
  stale === true ? 'stale' : quick ? 'quick' : 'searched'

/** The answer with the warnings, cacheability and file name of this delivery. */
const render = (service: Service, { answer, quick }: QuickResult, outcome: Outcome): ImageAnswer => {
  const { delivery, source, warnings } = outcome
  const { maxAge } = service.settings.delivery
  service.observe.served(servedOf(delivery.account, source.record.facts.bytes, answer))
  const cacheControl = deliveryControl(source.record, kindOf(source, quick), { maxAge, now: Date.now() })
  const { cacheControl: _stored, ...image } = answer
  return {
    ...image,
    warnings: [...(source.stale === true ? [STALE] : []), ...warnings, ...answer.warnings],
    // No remaining quota, since caches share the answer between clients.
    facts: { ...answer.facts, ...savedAs(delivery.url.pathname, answer) },
    // A browser that opens the address gets a page.
    variesByAccept: true,
    ...(cacheControl === undefined ? {} : { cacheControl }),
  }
}

/** A fetched source, and the readings of the store before the fetch. */
type SpooledSource = FetchedSource & { readonly isAdmitted: boolean; readonly known: Known }

/**
 * Prepares a delivery and stores the record of its fetched source, even if the source is refused, so that it is not fetched again for
 * each request. The record names the results before the work begins, so that a purge finds what any node stores.
 */
const prepareFetched = async (service: Service, delivery: DeliveryTask, { known, ...source }: SpooledSource) => {
  let results: readonly string[] = []
  try {
    const prepared = prepare(service, delivery, source)
    results = [prepared.keys.key, prepared.keys.quickKey]
    return prepared
  } finally {
    await remember(service, delivery, source, { results, known: known.source })
  }
}

/** Creates a quick result from a fetched source. */
const createResult = async (service: Service, delivery: DeliveryTask, source: SpooledSource): Promise<Answer> => {
  const { record, spooled, isAdmitted, known } = source
  const prepared = await prepareFetched(service, delivery, source)
  const { plan, keys, stored } = await readResult(service, prepared, known.result)
  const warnings = [...delivery.warnings, ...plan.warnings]
  const isKept = mayStore(spooled.cacheability)
  if (stored.value !== undefined) return render(service, stored.value, { delivery, source, warnings })
  await using reservation = await payOnce(service, delivery, { key: keys.key, isKept, isAdmitted })
  const quickAfterMs = plan.animated ? QUICK_MS.moving : QUICK_MS.still
  const request = { ...delivery.request, signal: delivery.signal }
  const task: Task = { ...delivery, request, spooled, facts: record.facts, plan, stages: {}, quickAfterMs }
  const isStillNeeded = async () =>
    (await service.sources.read(nameOf(service, delivery))).value?.results.includes(keys.key) === true
  const result = await resolveQuick(service, task, { ...keys, missing: stored, isStillNeeded })
  if (result === undefined) return { ...(await answerAtTimeout(task)) }
  if (!isSource(result.answer, record.digest)) reservation.charge()
  return render(service, result, { delivery, source, warnings })
}

/** The answer from the store for a known source. */
const answerStored = (
  service: Service,
  { delivery, source }: Pick<Outcome, 'delivery' | 'source'>,
  { plan, stored }: KnownResult,
): ImageAnswer | undefined => {
  const warnings = [...delivery.warnings, ...plan.warnings]
  return stored.value === undefined ? undefined : render(service, stored.value, { delivery, source, warnings })
}

/** The stored answer, if the source needs no revalidation. */
const answerFresh = (service: Service, delivery: DeliveryTask, { source, result }: Known): ImageAnswer | undefined => {
  const record = source.value
  if (record === undefined || result === undefined || !isFreshNow(service, record)) return undefined
  return answerStored(service, { delivery, source: { record } }, result)
}

/** Claims a delivery for this node. Otherwise waits until the other node has released its claim, and returns undefined. */
const claimOrWait = async ({ claims }: Service, name: string, signal: AbortSignal): Promise<JobClaim | undefined> => {
  const claim = await claims.claim(name)
  if (claim === undefined) await claims.whenFree(name, signal)
  signal.throwIfAborted()
  return claim
}

const deliver = async (service: Service, delivery: DeliveryTask, name: string): Promise<Answer> => {
  const first = await readKnown(service, delivery)
  const ready = answerFresh(service, delivery, first)
  if (ready !== undefined) return ready
  await using claim = await claimOrWait(service, `deliver ${name}`, delivery.signal)
  const known = isCurrent(first.source, claim) ? first : await readKnown(service, delivery)
  const isAdmitted = known.result?.stored.value === undefined
  if (isAdmitted) await admitNewResult(service, { ...delivery, timeout: delivery.options.timeout })
  const source = await findSource(service, delivery, known.source)
  await using _first = source.spooled
  if (source.spooled !== undefined)
    return await createResult(service, delivery, { ...source, spooled: source.spooled, isAdmitted, known })
  const result = await readResult(service, prepare(service, delivery, source), known.result)
  const stored = answerStored(service, { delivery, source }, result)
  if (stored !== undefined) return stored
  // The record is fresh, but the requested variant is not stored.
  const fetched = await fetchForDelivery(service, delivery)
  await using _second = fetched.spooled
  return await createResult(service, delivery, { ...fetched, isAdmitted, known: { ...known, result } })
}

/** A permitted delivery before concurrent requests share it. */
type PermittedDelivery = Omit<DeliveryTask, 'signal'> & Pick<ReadRequest, 'expires'>

const deliverShared = async (service: Service, permitted: PermittedDelivery): Promise<Answer> => {
  const { signal } = permitted.request
  const name = nameOfDelivery({ ...permitted, signal })
  const answer = await service.deliveries.join(name, signal, (shared) =>
    deliver(service, { ...permitted, signal: shared }, name),
  )
  return permitted.right === 'signed' && permitted.expires !== undefined
    ? untilExpiry(answer, permitted.expires)
    : answer
}

/** The fallback image of the account with the same options. Throws `why` when that image is unavailable too (§8.7). */
const deliverFallback = async (service: Service, permitted: PermittedDelivery, why: Failure): Promise<Answer> => {
  const { fallback } = permitted.account
  if (fallback === undefined) throw why
  const url = readImageUrl(fallback.url)
  const answer = await deliverShared(service, { ...permitted, url, right: 'signed' }).catch((error: unknown) => {
    throw lacksImage(error) ? why : error
  })
  return answer.kind === 'image' ? asFallback(answer, fallback, why) : answer
}

/**
 * Delivers an image live (§8): a stored result, or a quick one while the search continues. Concurrent requests for the same image on
 * all nodes share the work. Fails with a Failure, or with the signal's reason.
 */
export const deliverImage = async (service: Service, request: OptimiseRequest): Promise<Answer> => {
  const identified = await identifyRequest(service, request)
  const { redirect, ...right } = rightOf(identified, request)
  if (redirect !== undefined) return redirect
  const permitted = { ...readIdentified(service, request, identified), ...right, request }
  return await deliverShared(service, permitted).catch((error: unknown) => {
    if (!lacksImage(error)) throw error
    return deliverFallback(service, permitted, error)
  })
}
