import { createHash, randomUUID } from 'node:crypto'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { deadlineIn } from '../../core/deadline.ts'
import type { Information } from '../../core/information.ts'
import type { Answer, ImageAnswer } from '../../jobs/answer.ts'
import { etagOf } from '../../jobs/recall.ts'
import type { SourceRecord } from '../../jobs/source-records.ts'
import type { Plan } from '../../plan/plan.ts'
import type { Account } from '../../ports/accounts.ts'
import { mayStore } from '../../source/cacheability.ts'
import type { Spooled } from '../../source/spool.ts'
import { linkOrCopy } from '../../support/link-or-copy.ts'
import { removeDirectory } from '../../support/remove.ts'
import { admit, admitNew } from '../accounts/admit.ts'
import { identifyRequest, type ReadRequest, readIdentified } from '../accounts/read-request.ts'
import { payOnce, rightOf } from '../deliver/deliver-image.ts'
import { deliveryControl } from '../deliver/delivery-cache.ts'
import { splitSignature } from '../deliver/delivery-right.ts'
import {
  fetchForDelivery,
  findSource,
  nameOf,
  recordOf,
  remember,
  type WantedSource,
} from '../deliver/delivery-source.ts'
import { acquire, planFor } from '../optimise/optimise-image.ts'
import { ifThere } from '../optimise/resolve-result.ts'
import { quotaLeft } from '../optimise/respond.ts'
import type { OptimiseRequest, Service } from '../service.ts'

/** Raise it when the description of the same source changes. */
const GENERATION = 1

/** Whether an option segment asks for a description instead of an optimised image (§9.1). */
export const isInfo = (options: string | undefined): boolean =>
  options !== undefined && splitSignature(options).options.toLowerCase() === 'info'

/** The request as the steps of optimising read it: what would be made of it with `full`. */
const asFull = (request: OptimiseRequest): OptimiseRequest => ({
  ...request,
  options: 'full',
  accept: { webp: false, avif: false },
})

/** A source, and what is to be estimated of it. */
interface Inspected {
  readonly account: Account
  readonly record: SourceRecord
  readonly plan: Plan
}

const nameFor = ({ settings }: Service, { account, record, plan }: Inspected): string =>
  createHash('sha256')
    .update(settings.secret)
    .update(JSON.stringify(['info', GENERATION, record.digest, plan, record.shareable ? null : account.username]))
    .digest('hex')

/** Looks at a source in a child process. */
const look = async (
  service: Service,
  { account, record, plan }: Inspected,
  { path, signal, seconds }: { readonly path: string; readonly signal: AbortSignal; readonly seconds: number },
): Promise<Information> => {
  const directory = join(service.scratch, `info-${randomUUID()}`)
  await mkdir(directory, { recursive: true, mode: 0o700 })
  try {
    // Children may see nothing of the service's files but the directory of their job.
    const source = join(directory, 'source')
    await linkOrCopy(path, source)
    const job = { path: source, facts: record.facts, plan, directory }
    return await service.pool.inspect(job, deadlineIn(seconds * 1000, signal), {
      account: account.username,
      stage: service.observe.stage,
      queued: (ms) => service.observe.stage('queue', ms),
    })
  } finally {
    await removeDirectory(directory)
  }
}

const render = (information: Information): ImageAnswer => {
  const body = Buffer.from(`${JSON.stringify(information, null, 2)}\n`)
  return {
    kind: 'image',
    contentType: 'application/json',
    body,
    bytes: body.length,
    etag: etagOf(body),
    warnings: [],
    stages: {},
    facts: {},
    variesByAccept: false,
  }
}

/** A source in hand, and how it may be kept. */
interface InHand extends Inspected {
  readonly spooled: Spooled
  readonly signal: AbortSignal
  readonly seconds: number
}

/** The answer from the store, or from a look; kept where the source may be. */
const inspectOnce = async (service: Service, inHand: InHand): Promise<ImageAnswer> => {
  const name = nameFor(service, inHand)
  const known = (await ifThere(service.recall(name)))?.value
  if (known !== undefined) return known
  const answer = render(await look(service, inHand, { ...inHand, path: inHand.spooled.path }))
  if (mayStore(inHand.spooled.cacheability)) await service.store(name, answer)
  return answer
}

/** The most seconds that a look may take: what timeout= is without being given. */
const secondsOf = ({ maxTimeout }: ReadRequest): number => Math.min(30, maxTimeout)

/** Describes an image of an address or an upload (§9.1). Charged like an image. Fails with a Failure, or with the signal's reason. */
export const describeImage = async (service: Service, asked: OptimiseRequest): Promise<Answer> => {
  const request = asFull(asked)
  await using admitted = await admit(service, request)
  await using spooled = await acquire(service, request, admitted)
  request.onSource(spooled)
  const record = await recordOf(spooled)
  const { account } = admitted
  const plan = planFor(service, { ...admitted, facts: record.facts, accept: request.accept })
  const inHand = { account, record, plan, spooled, signal: request.signal, seconds: secondsOf(admitted) }
  const answer = await inspectOnce(service, inHand)
  admitted.reservation.charge()
  const { cacheControl } = spooled.cacheability
  const facts = quotaLeft(account, true)
  return { ...answer, facts, ...(cacheControl === undefined ? {} : { cacheControl }) }
}

/** The description of an image by GET: permitted and stored like live delivery. */
const deliver = async (service: Service, read: ReadRequest, wanted: WantedSource): Promise<Answer> => {
  const { account, signal } = wanted
  const { options } = read
  const accept = { webp: false, avif: false }
  const inspectedOf = (record: SourceRecord): Inspected => ({
    account,
    record,
    plan: planFor(service, { account, options, facts: record.facts, accept }),
  })
  const recall = async (record: SourceRecord) =>
    (await ifThere(service.recall(nameFor(service, inspectedOf(record)))))?.value
  const before = await service.sources.read(nameOf(service, wanted))
  const isAdmitted = before.value === undefined || (await recall(before.value)) === undefined
  if (isAdmitted) await admitNew(service, { ...wanted, timeout: options.timeout })
  const inspect = async (record: SourceRecord, spooled: Spooled | undefined) => {
    const inspected = inspectedOf(record)
    const key = nameFor(service, inspected)
    if (spooled !== undefined) await remember(service, wanted, { record, spooled }, { results: [key], known: before })
    const known = await recall(record)
    if (known !== undefined || spooled === undefined) return known
    const payable = { key, isKept: mayStore(spooled.cacheability), isAdmitted }
    await using reservation = await payOnce(service, { ...wanted, options }, payable)
    const answer = await inspectOnce(service, { ...inspected, spooled, signal, seconds: secondsOf(read) })
    reservation.charge()
    return answer
  }
  const source = await findSource(service, wanted, before)
  await using _first = source.spooled
  const first = await inspect(source.record, source.spooled)
  if (first !== undefined) return inWords(service, first, source)
  const fetched = await fetchForDelivery(service, wanted)
  await using _second = fetched.spooled
  return inWords(service, (await inspect(fetched.record, fetched.spooled))!, fetched)
}

const inWords = (
  { settings }: Service,
  { cacheControl: _stored, ...answer }: ImageAnswer,
  source: { readonly record: SourceRecord; readonly stale?: true },
): ImageAnswer => {
  const kind = source.stale === true ? 'stale' : 'searched'
  const { maxAge } = settings.delivery
  const cacheControl = deliveryControl(source.record, kind, { maxAge, now: Date.now() })
  return { ...answer, variesByAccept: true, ...(cacheControl === undefined ? {} : { cacheControl }) }
}

/** Describes an image by GET (§9.1), if the account delivers from its host or the address is signed (§8.1). */
export const deliverInformation = async (service: Service, asked: OptimiseRequest): Promise<Answer> => {
  const identified = await identifyRequest(service, asked)
  const { url, right, leadsTo } = rightOf(identified, asked)
  if (leadsTo !== undefined) return leadsTo
  const read = readIdentified(service, asFull(asked), { ...identified, list: 'full' })
  const { account } = read
  const name = JSON.stringify(['info', account.username, url.href, right])
  return service.deliveries.join(name, asked.signal, (signal) =>
    deliver(service, read, { account, url, right, signal }),
  )
}
