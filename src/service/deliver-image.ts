import { createHash, randomUUID } from 'node:crypto'
import { fail } from '../core/failure.ts'
import type { Answer, ImageAnswer } from '../jobs/answer.ts'
import type { JobClaim } from '../ports/jobs.ts'
import { mayStore } from '../source/cacheability.ts'
import type { Spooled } from '../source/spool.ts'
import { admitWork, type Reservation } from './admit.ts'
import { answerLate } from './answer-late.ts'
import { type Delivered, deliveryControl } from './delivery-cache.ts'
import { deliveryRight } from './delivery-right.ts'
import { type DeliverySource, fetchAnew, findFresh, findSource, nameOf, type WantedSource } from './delivery-source.ts'
import { planFor } from './optimise-image.ts'
import { findAccount, type ReadRequest, readRequest } from './read-request.ts'
import { isSource, keyOf } from './resolve-result.ts'
import { recallSoon, resolveSoon, type Soon } from './resolve-soon.ts'
import { quotaLeft, savedAs, servedOf } from './respond.ts'
import type { OptimiseRequest, Service } from './service.ts'
import type { Task } from './task.ts'

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

/** By what right the address is delivered; fails with DELIVERY_REFUSED (§8.1). */
export const rightOf = (read: ReadRequest, request: Pick<OptimiseRequest, 'username' | 'imageUrl'>) => {
  const { account, url, list, signature } = read
  const { username, imageUrl } = request
  if (url === undefined || imageUrl === undefined) throw fail('IMAGE_URL_MISSING')
  const signed = { username, list, imageUrl, ...(signature === undefined ? {} : { signature }) }
  const right = deliveryRight(account.delivery ?? { hosts: [], keys: [] }, url, signed)
  if (right.kind === 'refused') throw fail('DELIVERY_REFUSED', right.lacks)
  return { url, right: right.kind }
}

/** What makes two deliveries the same, as far as that is known before the source is. */
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
}

/** Takes an image of the quota where a result has to be made; the same stored result within a day only once, however many nodes are asked for it (§8.3). */
export const payOnce = async (
  service: Service,
  { account, right, options }: Pick<WantedSource, 'account' | 'right'> & Pick<ReadRequest, 'options'>,
  { key, isKept }: Payable,
): Promise<Reservation> => {
  const { rate } = service.settings.delivery
  const isFree = right === 'signed' || rate === 0 || (await service.allow(`${account.username} unsigned`, rate))
  if (!isFree) throw fail('TOO_MANY_NEW', rate)
  const id = isKept
    ? createHash('sha256').update(`${account.username} ${key}`).digest('hex').slice(0, 48)
    : randomUUID()
  return admitWork(service, account, { id: `deliver-${id}`, jointly: true, timeout: options.timeout })
}

/** What has to be known of a delivery to put its answer into words. */
interface Outcome {
  readonly delivery: Delivery
  readonly source: DeliverySource
  readonly warnings: readonly string[]
  readonly charge: boolean
}

const STALE = 'The server of the image does not answer: this is what was stored of it.'

const kindOf = ({ stale }: DeliverySource, quick: boolean): Delivered =>
  stale === true ? 'stale' : quick ? 'quick' : 'searched'

/** The answer with what belongs to this delivery: its warnings, its cacheability, its name. */
const render = (service: Service, { answer, quick }: Soon, outcome: Outcome): ImageAnswer => {
  const { delivery, source, warnings, charge } = outcome
  const { maxAge } = service.settings.delivery
  service.observe.served(servedOf(delivery.account, source.record.facts.bytes, answer))
  const cacheControl = deliveryControl(source.record, kindOf(source, quick), { maxAge, now: Date.now() })
  const { cacheControl: _stored, ...image } = answer
  return {
    ...image,
    warnings: [...(source.stale === true ? [STALE] : []), ...warnings, ...answer.warnings],
    facts: { ...answer.facts, ...savedAs(delivery.url.pathname, answer), ...quotaLeft(delivery.account, charge) },
    // A browser that opens the address gets a page.
    variesByAccept: true,
    ...(cacheControl === undefined ? {} : { cacheControl }),
  }
}

/** Makes a result that is there soon, from a source in hand. */
const make = async (
  service: Service,
  delivery: Delivery,
  source: DeliverySource & { readonly spooled: Spooled },
): Promise<Answer> => {
  const { record, spooled } = source
  const { plan, keys } = prepare(service, delivery, source)
  const warnings = [...delivery.warnings, ...plan.warnings]
  const isKept = mayStore(spooled.cacheability)
  // Before the work, and also where it is done: what is stored, by whomever, can be purged.
  const name = nameOf(service, delivery)
  if (isKept) await service.sources.write(name, { ...record, results: [keys.key, keys.quickKey] })
  const known = await recallSoon(service, keys)
  if (known !== undefined) return render(service, known, { delivery, source, warnings, charge: false })
  await using reservation = await payOnce(service, delivery, { key: keys.key, isKept })
  const soonMs = plan.animated ? SOON_MS.moving : SOON_MS.still
  const request = { ...delivery.request, signal: delivery.signal }
  const task: Task = { ...delivery, request, spooled, facts: record.facts, plan, stages: {}, soonMs }
  const isWanted = async () => (await service.sources.read(name))?.results.includes(keys.key) === true
  const soon = await resolveSoon(service, task, { ...keys, isWanted })
  if (soon === undefined) return { ...(await answerLate(task)) }
  const charge = !isSource(soon.answer, record.digest)
  if (charge) reservation.charge()
  return render(service, soon, { delivery, source, warnings, charge })
}

/** The answer from what is stored, of a source that is known. */
const findStored = async (
  service: Service,
  delivery: Delivery,
  source: DeliverySource,
): Promise<ImageAnswer | undefined> => {
  const { plan, keys } = prepare(service, delivery, source)
  const known = await recallSoon(service, keys)
  const warnings = [...delivery.warnings, ...plan.warnings]
  return known === undefined ? undefined : render(service, known, { delivery, source, warnings, charge: false })
}

/** The turn of this node to fetch and work; undefined once that of another one is over, which may have stored what is wanted. */
const takeTurn = async ({ claims }: Service, name: string, signal: AbortSignal): Promise<JobClaim | undefined> => {
  const claim = await claims.claim(name)
  if (claim === undefined) await claims.whenFree(name, signal)
  signal.throwIfAborted()
  return claim
}

const deliver = async (service: Service, delivery: Delivery, name: string): Promise<Answer> => {
  const fresh = await findFresh(service, delivery)
  const ready = fresh === undefined ? undefined : await findStored(service, delivery, { record: fresh })
  if (ready !== undefined) return ready
  await using _turn = await takeTurn(service, `deliver ${name}`, delivery.signal)
  const source = await findSource(service, delivery)
  await using _first = source.spooled
  if (source.spooled !== undefined) return await make(service, delivery, { ...source, spooled: source.spooled })
  const stored = await findStored(service, delivery, source)
  if (stored !== undefined) return stored
  // Known, and not in hand: another variant of it was delivered before.
  const anew = await fetchAnew(service, delivery)
  await using _second = anew.spooled
  return await make(service, delivery, anew)
}

/**
 * Delivers an image live (§8): from the store where it is there, else a result that is there soon, while the search goes on.
 * Whoever asks for the same at the same time shares the work, on all nodes together. Fails with a Failure, or with the signal's reason.
 */
export const deliverImage = async (service: Service, request: OptimiseRequest): Promise<Answer> => {
  const read = await readRequest(service, request)
  const delivery = { ...read, ...rightOf(read, request), request }
  const { signal } = request
  const name = nameOfDelivery({ ...delivery, signal })
  return service.deliveries.join(name, signal, (shared) => deliver(service, { ...delivery, signal: shared }, name))
}
