import { createHash, randomUUID } from 'node:crypto'
import { type Failure, fail } from '../../core/failure.ts'
import type { Answer, ImageAnswer } from '../../jobs/answer.ts'
import type { SourceRecord } from '../../jobs/source-records.ts'
import { DAILY_ID_PREFIX } from '../../ports/accounts.ts'
import type { JobClaim } from '../../ports/jobs.ts'
import { mayStore } from '../../source/cacheability.ts'
import { readImageUrl } from '../../source/image-url.ts'
import { admitNew, admitWork, type Reservation } from '../accounts/admit.ts'
import {
  findAccount,
  type IdentifiedRequest,
  identifyRequest,
  type ReadRequest,
  readIdentified,
} from '../accounts/read-request.ts'
import { asFallback, lacksImage } from '../optimise/fallback.ts'
import { planFor } from '../optimise/optimise-image.ts'
import { isSource, keyOf } from '../optimise/resolve-result.ts'
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
  findFresh,
  findSource,
  nameOf,
  remember,
  type WantedSource,
} from './delivery-source.ts'
import { type QuickResult, recallQuick, resolveQuick } from './quick-result.ts'

/** ms of work after which a quick result will do (§8.2); of moving images, whose first frames take longer. */
const SOON_MS = { still: 300, moving: 1500 } as const

/** A request for live delivery whose right was found: everything that does not depend on the source. */
interface Delivery extends Omit<ReadRequest, 'url'>, WantedSource {
  readonly request: OptimiseRequest
}

/** Whether an account delivers anything live. Fails as {@link findAccount} does. */
export const delivers = async (
  service: Service,
  request: Pick<OptimiseRequest, 'username' | 'origin'>,
): Promise<boolean> => (await findAccount(service, request)).delivery !== undefined

/**
 * By what right the address is delivered (§8.1); fails with DELIVERY_REFUSED, or as its image's address does. Checked before
 * the options: a client without a right gets the same status whether the account delivers or not.
 */
export const rightOf = (
  identified: IdentifiedRequest,
  { username, imageUrl, options = '' }: Pick<OptimiseRequest, 'username' | 'imageUrl' | 'options'>,
) => {
  const { account, ...signing } = identified
  if (imageUrl === undefined) throw fail('IMAGE_URL_MISSING')
  const url = readImageUrl(imageUrl)
  const asked = { username, imageUrl, segment: options, ...signing }
  const right = deliveryRight(account.delivery ?? { hosts: [], keys: [] }, url, asked)
  if (right.kind === 'refused') throw fail('DELIVERY_REFUSED', right.lacks)
  const elsewhere = right.kind === 'signed' ? right.elsewhere : undefined
  return { url, right: right.kind, ...(elsewhere === undefined ? {} : { leadsTo: leadTo(elsewhere) }) }
}

const leadTo = (path: string): Answer => ({ kind: 'redirect', to: { kind: 'address', path }, warnings: [], stages: {} })

/** Key of a delivery before its source is known: equal deliveries have equal keys. */
const nameOfDelivery = ({ account, url, right, options, request }: Delivery): string =>
  JSON.stringify([account.username, url.href, right, options, request.accept])

/** The task as far as it is known, and the names of its result. */
const prepare = (service: Service, delivery: Delivery, { record }: DeliverySource) => {
  const { account, options, request } = delivery
  const plan = planFor(service, { account, options, facts: record.facts, accept: request.accept })
  const key = keyOf(service, { account, plan }, record)
  const quickKey = createHash('sha256').update(`quick ${key}`).digest('hex')
  return { plan, keys: { key, quickKey } }
}

/** The result that is paid for. */
interface Payable {
  readonly key: string
  /** Whether it is stored: what may not be is made for each request, and charged for each. */
  readonly isKept: boolean
  /** It was judged before the source was fetched; a source that changed meanwhile is judged after that. */
  readonly isAdmitted: boolean
}

/** Takes an image of the quota where a result has to be made; the same stored result within a day only once, however many nodes are asked for it (§8.3). */
export const payOnce = async (
  service: Service,
  { account, right, options }: Pick<WantedSource, 'account' | 'right'> & Pick<ReadRequest, 'options'>,
  { key, isKept, isAdmitted }: Payable,
): Promise<Reservation> => {
  const { timeout } = options
  if (!isAdmitted) await admitNew(service, { account, right, timeout })
  const id = isKept
    ? createHash('sha256').update(`${account.username} ${key}`).digest('hex').slice(0, 48)
    : randomUUID()
  return admitWork(service, account, { id: `${DAILY_ID_PREFIX}${id}`, jointly: true, timeout, isAdmitted: true })
}

/** Everything that the response of a delivery depends on. */
interface Outcome {
  readonly delivery: Delivery
  readonly source: DeliverySource
  readonly warnings: readonly string[]
}

const STALE = 'The server of the image does not answer: this is what was stored of it.'

const kindOf = ({ stale }: DeliverySource, quick: boolean): Delivered =>
  stale === true ? 'stale' : quick ? 'quick' : 'searched'

/** The answer with what belongs to this delivery: its warnings, its cacheability, its name. */
const render = (service: Service, { answer, quick }: QuickResult, outcome: Outcome): ImageAnswer => {
  const { delivery, source, warnings } = outcome
  const { maxAge } = service.settings.delivery
  service.observe.served(servedOf(delivery.account, source.record.facts.bytes, answer))
  const cacheControl = deliveryControl(source.record, kindOf(source, quick), { maxAge, now: Date.now() })
  const { cacheControl: _stored, ...image } = answer
  return {
    ...image,
    warnings: [...(source.stale === true ? [STALE] : []), ...warnings, ...answer.warnings],
    // Caches share the answer, so it does not contain the rest of the quota.
    facts: { ...answer.facts, ...savedAs(delivery.url.pathname, answer) },
    // A browser that opens the address gets a page.
    variesByAccept: true,
    ...(cacheControl === undefined ? {} : { cacheControl }),
  }
}

/**
 * The same for a source that was just fetched, which is remembered: also one that is refused, so that it is not fetched for each
 * request. Its results are named before the work, and also where it is done: what any node stores can be purged.
 */
const prepareFetched = async (service: Service, delivery: Delivery, source: FetchedSource) => {
  let names: readonly string[] = []
  try {
    const prepared = prepare(service, delivery, source)
    names = [prepared.keys.key, prepared.keys.quickKey]
    return prepared
  } finally {
    await remember(service, delivery, source, names)
  }
}

/** Makes a result that is there soon, from a source in hand. */
const make = async (
  service: Service,
  delivery: Delivery,
  source: FetchedSource & { readonly isAdmitted: boolean },
): Promise<Answer> => {
  const { record, spooled, isAdmitted } = source
  const { plan, keys } = await prepareFetched(service, delivery, source)
  const warnings = [...delivery.warnings, ...plan.warnings]
  const isKept = mayStore(spooled.cacheability)
  const known = await recallQuick(service, keys)
  if (known !== undefined) return render(service, known, { delivery, source, warnings })
  await using reservation = await payOnce(service, delivery, { key: keys.key, isKept, isAdmitted })
  const soonMs = plan.animated ? SOON_MS.moving : SOON_MS.still
  const request = { ...delivery.request, signal: delivery.signal }
  const task: Task = { ...delivery, request, spooled, facts: record.facts, plan, stages: {}, soonMs }
  const isWanted = async () =>
    (await service.sources.read(nameOf(service, delivery)))?.results.includes(keys.key) === true
  const soon = await resolveQuick(service, task, { ...keys, isWanted })
  if (soon === undefined) return { ...(await answerAtTimeout(task)) }
  if (!isSource(soon.answer, record.digest)) reservation.charge()
  return render(service, soon, { delivery, source, warnings })
}

/** The answer from what is stored, of a source that is known. */
const findStored = async (
  service: Service,
  delivery: Delivery,
  source: DeliverySource,
): Promise<ImageAnswer | undefined> => {
  const { plan, keys } = prepare(service, delivery, source)
  const known = await recallQuick(service, keys)
  const warnings = [...delivery.warnings, ...plan.warnings]
  return known === undefined ? undefined : render(service, known, { delivery, source, warnings })
}

/** Claims the fetch and the work for this node. Waits for another node's claim instead and returns undefined: that node may have stored the result. */
const takeTurn = async ({ claims }: Service, name: string, signal: AbortSignal): Promise<JobClaim | undefined> => {
  const claim = await claims.claim(name)
  if (claim === undefined) await claims.whenFree(name, signal)
  signal.throwIfAborted()
  return claim
}

/** Whether a result is stored of the source as it was last known, fresh or not. */
const isStored = async (service: Service, delivery: Delivery, record: SourceRecord | undefined): Promise<boolean> =>
  record !== undefined && (await recallQuick(service, prepare(service, delivery, { record }).keys)) !== undefined

const deliver = async (service: Service, delivery: Delivery, name: string): Promise<Answer> => {
  const fresh = await findFresh(service, delivery)
  const ready = fresh === undefined ? undefined : await findStored(service, delivery, { record: fresh })
  if (ready !== undefined) return ready
  await using _turn = await takeTurn(service, `deliver ${name}`, delivery.signal)
  const known = await service.sources.read(nameOf(service, delivery))
  const isAdmitted = !(await isStored(service, delivery, known))
  if (isAdmitted) await admitNew(service, { ...delivery, timeout: delivery.options.timeout })
  const source = await findSource(service, delivery, known)
  await using _first = source.spooled
  if (source.spooled !== undefined)
    return await make(service, delivery, { ...source, spooled: source.spooled, isAdmitted })
  const stored = await findStored(service, delivery, source)
  if (stored !== undefined) return stored
  // Known, and not in hand: another variant of it was delivered before.
  const fetched = await fetchForDelivery(service, delivery)
  await using _second = fetched.spooled
  return await make(service, delivery, { ...fetched, isAdmitted })
}

/** A delivery that is permitted, before its source is looked up. */
type Judged = Omit<Delivery, 'signal'> & Pick<ReadRequest, 'expires'>

const deliverJudged = async (service: Service, judged: Judged): Promise<Answer> => {
  const { signal } = judged.request
  const name = nameOfDelivery({ ...judged, signal })
  const answer = await service.deliveries.join(name, signal, (shared) =>
    deliver(service, { ...judged, signal: shared }, name),
  )
  return judged.right === 'signed' && judged.expires !== undefined ? untilExpiry(answer, judged.expires) : answer
}

/** The fallback image of the account, made by the same options; where that fails too, the first failure (§8.7). */
const deliverFallback = async (service: Service, judged: Judged, why: Failure): Promise<Answer> => {
  const { fallback } = judged.account
  if (fallback === undefined) throw why
  const answer = await deliverJudged(service, { ...judged, url: readImageUrl(fallback.url), right: 'signed' }).catch(
    (error: unknown) => {
      throw lacksImage(error) ? why : error
    },
  )
  return answer.kind === 'image' ? asFallback(answer, fallback, why) : answer
}

/**
 * Delivers an image live (§8): from the store where it is there, else a result that is there soon, while the search goes on.
 * Whoever asks for the same at the same time shares the work, on all nodes together. Fails with a Failure, or with the signal's reason.
 */
export const deliverImage = async (service: Service, request: OptimiseRequest): Promise<Answer> => {
  const identified = await identifyRequest(service, request)
  const { leadsTo, ...right } = rightOf(identified, request)
  if (leadsTo !== undefined) return leadsTo
  const judged = { ...readIdentified(service, request, identified), ...right, request }
  return await deliverJudged(service, judged).catch((error: unknown) => {
    if (!lacksImage(error)) throw error
    return deliverFallback(service, judged, error)
  })
}
