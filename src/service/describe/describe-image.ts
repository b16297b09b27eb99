import { createHash, randomUUID } from 'node:crypto'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { deadlineIn } from '../../core/deadline.ts'
import type { Information } from '../../core/information.ts'
import type { Answer, ImageAnswer } from '../../jobs/answer.ts'
import { etagOf } from '../../jobs/recall.ts'
import { ENGINE_GENERATION } from '../../jobs/result-key.ts'
import type { SourceRecord } from '../../jobs/source-records.ts'
import type { Plan } from '../../plan/plan.ts'
import type { Account } from '../../ports/accounts.ts'
import { mayStore } from '../../source/cacheability.ts'
import type { Spooled } from '../../source/spool.ts'
import { linkOrCopy } from '../../support/link-or-copy.ts'
import { removeDirectory } from '../../support/remove.ts'
import { admit, admitNewResult } from '../accounts/admit.ts'
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
  type SourceRequest,
} from '../deliver/delivery-source.ts'
import { acquire, planFor } from '../optimise/optimise-image.ts'
import { unlessAway } from '../optimise/resolve-result.ts'
import { quotaLeft } from '../optimise/respond.ts'
import type { OptimiseRequest, Service } from '../service.ts'

/** Whether an option segment requests a description instead of an optimised image (§9.1). */
export const isInfo = (options: string | undefined): boolean =>
  options !== undefined && splitSignature(options).options.toLowerCase() === 'info'

/** Returns the same request with the options `full`, whose result the description estimates. */
const asFull = (request: OptimiseRequest): OptimiseRequest => ({
  ...request,
  options: 'full',
  accept: { webp: false, avif: false },
})

/** A source to describe, and the plan to estimate. */
interface Inspection {
  readonly account: Account
  readonly record: SourceRecord
  readonly plan: Plan
}

const nameFor = ({ settings }: Service, { account, record, plan }: Inspection): string =>
  createHash('sha256')
    .update(settings.secret)
    .update(
      JSON.stringify(['info', ENGINE_GENERATION, record.digest, plan, record.shareable ? null : account.username]),
    )
    .digest('hex')

/** Inspects a source in a child process. */
const inspectInChild = async (
  service: Service,
  { account, record, plan }: Inspection,
  { path, signal, seconds }: { readonly path: string; readonly signal: AbortSignal; readonly seconds: number },
): Promise<Information> => {
  const directory = join(service.scratch, `info-${randomUUID()}`)
  await mkdir(directory, { recursive: true, mode: 0o700 })
  try {
    // A child can read only the directory of its job.
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

/** An inspection with its fetched source. */
interface SpooledInspection extends Inspection {
  readonly spooled: Spooled
  readonly signal: AbortSignal
  readonly seconds: number
}

/** Returns the stored description. Otherwise creates one, and stores it if the source allows that. */
const inspectOnce = async (service: Service, inspection: SpooledInspection): Promise<ImageAnswer> => {
  const name = nameFor(service, inspection)
  const known = (await unlessAway(service.recall(name)))?.value
  if (known !== undefined) return known
  const { spooled } = inspection
  const answer = render(await inspectInChild(service, inspection, { ...inspection, path: spooled.path }))
  if (mayStore(spooled.cacheability)) await service.store(name, answer)
  return answer
}

/** Maximum seconds of an inspection: the default of timeout=. */
const secondsOf = ({ maxTimeout }: ReadRequest): number => Math.min(30, maxTimeout)

/** Describes an image of an address or an upload (§9.1). Costs the quota one image. Fails with a Failure, or with the signal's reason. */
export const describeImage = async (service: Service, original: OptimiseRequest): Promise<Answer> => {
  const request = asFull(original)
  await using admitted = await admit(service, request)
  await using spooled = await acquire(service, request, admitted)
  request.onSource(spooled)
  const record = await recordOf(spooled)
  const { account } = admitted
  const plan = planFor(service, { ...admitted, facts: record.facts, accept: request.accept })
  const inspection = { account, record, plan, spooled, signal: request.signal, seconds: secondsOf(admitted) }
  const answer = await inspectOnce(service, inspection)
  admitted.reservation.charge()
  const { cacheControl } = spooled.cacheability
  const facts = quotaLeft(account, true)
  return { ...answer, facts, ...(cacheControl === undefined ? {} : { cacheControl }) }
}

/** The description of an image by GET: permitted and stored like live delivery. */
const deliver = async (service: Service, read: ReadRequest, sourceRequest: SourceRequest): Promise<Answer> => {
  const { account, signal } = sourceRequest
  const { options } = read
  const accept = { webp: false, avif: false }
  const inspectionOf = (record: SourceRecord): Inspection => ({
    account,
    record,
    plan: planFor(service, { account, options, facts: record.facts, accept }),
  })
  const recall = async (record: SourceRecord) =>
    (await unlessAway(service.recall(nameFor(service, inspectionOf(record)))))?.value
  const before = await service.sources.read(nameOf(service, sourceRequest))
  const isAdmitted = before.value === undefined || (await recall(before.value)) === undefined
  if (isAdmitted) await admitNewResult(service, { ...sourceRequest, timeout: options.timeout })
  const inspect = async (record: SourceRecord, spooled: Spooled | undefined) => {
    const inspection = inspectionOf(record)
    const key = nameFor(service, inspection)
    if (spooled !== undefined)
      await remember(service, sourceRequest, { record, spooled }, { results: [key], known: before })
    const known = await recall(record)
    if (known !== undefined || spooled === undefined) return known
    const payable = { key, isKept: mayStore(spooled.cacheability), isAdmitted }
    await using reservation = await payOnce(service, { ...sourceRequest, options }, payable)
    const answer = await inspectOnce(service, { ...inspection, spooled, signal, seconds: secondsOf(read) })
    reservation.charge()
    return answer
  }
  const source = await findSource(service, sourceRequest, before)
  await using _first = source.spooled
  const first = await inspect(source.record, source.spooled)
  if (first !== undefined) return withDeliveryControl(service, first, source)
  const fetched = await fetchForDelivery(service, sourceRequest)
  await using _second = fetched.spooled
  return withDeliveryControl(service, (await inspect(fetched.record, fetched.spooled))!, fetched)
}

/** The description with the Cache-Control of live delivery. */
const withDeliveryControl = (
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
export const deliverInformation = async (service: Service, original: OptimiseRequest): Promise<Answer> => {
  const identified = await identifyRequest(service, original)
  const { url, right, redirect } = rightOf(identified, original)
  if (redirect !== undefined) return redirect
  const read = readIdentified(service, asFull(original), { ...identified, list: 'full' })
  const { account } = read
  const name = JSON.stringify(['info', account.username, url.href, right])
  return service.deliveries.join(name, original.signal, (signal) =>
    deliver(service, read, { account, url, right, signal }),
  )
}
