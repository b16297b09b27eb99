import { createHash, randomUUID } from 'node:crypto'
import { type Failure, fail } from '../../core/failure.ts'
import type { Answer, ImageAnswer } from '../../jobs/answer.ts'
import { isCurrent } from '../../jobs/store-reading.ts'
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
  type WantedSource,
} from './delivery-source.ts'
import { type DeliveryTask, type Known, type KnownResult, prepare, readKnown, readResult } from './known-delivery.ts'
import { type QuickResult, resolveQuick } from './quick-result.ts'

/** ms of work after which a quick result will do (§8.2); of moving images, whose first frames take longer. */
const SOON_MS = { still: 300, moving: 1500 } as const

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
const nameOfDelivery = ({ account, url, right, options, request }: DeliveryTask): string =>
  JSON.stringify([account.username, url.href, right, options, request.accept])

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
  readonly delivery: DeliveryTask
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

/** A source to make a result of, and what was stored before it was fetched. */
type SourceInHand = FetchedSource & { readonly isAdmitted: boolean; readonly known: Known }

/**
 * The same for a source that was just fetched, which is remembered: also one that is refused, so that it is not fetched for each
 * request. Its results are named before the work, and also where it is done: what any node stores can be purged.
 */
const prepareFetched = async (service: Service, delivery: DeliveryTask, { known, ...source }: SourceInHand) => {
  let results: readonly string[] = []
  try {
    const prepared = prepare(service, delivery, source)
    results = [prepared.keys.key, prepared.keys.quickKey]
    return prepared
  } finally {
    await remember(service, delivery, source, { results, known: known.source })
  }
}

/** Makes a result that is there soon, from a source in hand. */
const make = async (service: Service, delivery: DeliveryTask, source: SourceInHand): Promise<Answer> => {
  const { record, spooled, isAdmitted, known } = source
  const prepared = await prepareFetched(service, delivery, source)
  const { plan, keys, stored } = await readResult(service, prepared, known.result)
  const warnings = [...delivery.warnings, ...plan.warnings]
  const isKept = mayStore(spooled.cacheability)
  if (stored.value !== undefined) return render(service, stored.value, { delivery, source, warnings })
  await using reservation = await payOnce(service, delivery, { key: keys.key, isKept, isAdmitted })
  const soonMs = plan.animated ? SOON_MS.moving : SOON_MS.still
  const request = { ...delivery.request, signal: delivery.signal }
  const task: Task = { ...delivery, request, spooled, facts: record.facts, plan, stages: {}, soonMs }
  const isWanted = async () =>
    (await service.sources.read(nameOf(service, delivery))).value?.results.includes(keys.key) === true
  const soon = await resolveQuick(service, task, { ...keys, missing: stored, isWanted })
  if (soon === undefined) return { ...(await answerAtTimeout(task)) }
  if (!isSource(soon.answer, record.digest)) reservation.charge()
  return render(service, soon, { delivery, source, warnings })
}

/** The answer from what is stored, of a source that is known. */
const answerStored = (
  service: Service,
  { delivery, source }: Pick<Outcome, 'delivery' | 'source'>,
  { plan, stored }: KnownResult,
): ImageAnswer | undefined => {
  const warnings = [...delivery.warnings, ...plan.warnings]
  return stored.value === undefined ? undefined : render(service, stored.value, { delivery, source, warnings })
}

/** The answer without asking the server of the source. */
const answerFresh = (service: Service, delivery: DeliveryTask, { source, result }: Known): ImageAnswer | undefined => {
  const record = source.value
  if (record === undefined || result === undefined || !isFreshNow(service, record)) return undefined
  return answerStored(service, { delivery, source: { record } }, result)
}

/** Claims the fetch and the work for this node. Waits for another node's claim instead and returns undefined: that node may have stored the result. */
const takeTurn = async ({ claims }: Service, name: string, signal: AbortSignal): Promise<JobClaim | undefined> => {
  const claim = await claims.claim(name)
  if (claim === undefined) await claims.whenFree(name, signal)
  signal.throwIfAborted()
  return claim
}

const deliver = async (service: Service, delivery: DeliveryTask, name: string): Promise<Answer> => {
  const first = await readKnown(service, delivery)
  const ready = answerFresh(service, delivery, first)
  if (ready !== undefined) return ready
  await using turn = await takeTurn(service, `deliver ${name}`, delivery.signal)
  const known = isCurrent(first.source, turn) ? first : await readKnown(service, delivery)
  const isAdmitted = known.result?.stored.value === undefined
  if (isAdmitted) await admitNew(service, { ...delivery, timeout: delivery.options.timeout })
  const source = await findSource(service, delivery, known.source)
  await using _first = source.spooled
  if (source.spooled !== undefined)
    return await make(service, delivery, { ...source, spooled: source.spooled, isAdmitted, known })
  const result = await readResult(service, prepare(service, delivery, source), known.result)
  const stored = answerStored(service, { delivery, source }, result)
  if (stored !== undefined) return stored
  // Known, and not in hand: another variant of it was delivered before.
  const fetched = await fetchForDelivery(service, delivery)
  await using _second = fetched.spooled
  return await make(service, delivery, { ...fetched, isAdmitted, known: { ...known, result } })
}

/** A delivery that is permitted, before its source is looked up. */
type Judged = Omit<DeliveryTask, 'signal'> & Pick<ReadRequest, 'expires'>

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
