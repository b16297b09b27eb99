import { Failure, isStoreAway } from '../../core/failure.ts'
import { ANSWER_MS } from '../../core/intervals.ts'
import { type RecordedSource, recordName, type SourceRecord } from '../../jobs/source-records.ts'
import type { StoreReading } from '../../jobs/store-reading.ts'
import type { Account } from '../../ports/accounts.ts'
import { mayStore } from '../../source/cacheability.ts'
import { Unchanged } from '../../source/fetch.ts'
import { identify } from '../../source/identify.ts'
import type { Spooled } from '../../source/spool.ts'
import { limitsOf } from '../accounts/limits-of.ts'
import { receiveWithinCaps } from '../optimise/receive-within-caps.ts'
import type { Service } from '../service.ts'
import type { Task } from '../task.ts'
import { isFresh } from './delivery-cache.ts'
import { isListed } from './delivery-right.ts'

/** A request for the source of a delivery. */
export interface SourceRequest {
  readonly account: Account
  readonly url: URL
  /** `listed`: redirects may lead to listed hosts only, since a listed host may have an open redirect. */
  readonly right: 'listed' | 'signed'
  readonly signal: AbortSignal
}

/** A source of live delivery: its record, and its bytes if they had to be fetched. */
export interface DeliverySource {
  readonly record: SourceRecord
  readonly spooled?: Spooled
  /** Set if the source could not be revalidated. */
  readonly stale?: true
}

/** Failures of the server that do not invalidate the stored record. */
const SERVER_AWAY: ReadonlySet<string> = new Set(['ORIGIN_FAILED', 'ORIGIN_TOO_SLOW', 'SOURCE_UNREACHABLE'])

const isServerAway = (error: unknown): boolean => error instanceof Failure && SERVER_AWAY.has(error.code)

/** The record of a source that was just fetched. */
export const recordOf = async (spooled: Spooled): Promise<SourceRecord> => {
  const facts = await identify(spooled.path, spooled)
  const { digest, cacheability, validators } = spooled
  return { digest, facts, ...cacheability, ...validators, fetchedAt: Date.now(), results: [] }
}

/** The name under which a source's record is stored. */
export const nameOf = (
  { settings }: Service,
  { account, url }: Pick<SourceRequest, 'account' | 'url'>,
  by: RecordedSource['by'] = 'delivered',
): string => recordName(settings.secret, { username: account.username, url, by })

/** Removes a record that must no longer be stored. Ignores a store that does not respond. */
const forget = async ({ sources }: Service, name: string): Promise<void> => {
  await sources.take(name).catch((error: unknown) => {
    if (!isStoreAway(error)) throw error
  })
}

/** The reading of a source's record from the store. */
export type KnownSource = StoreReading<SourceRecord | undefined>

/** A source that was fetched. */
export type FetchedSource = DeliverySource & { readonly spooled: Spooled }

/** Stores the record of a fetched source with the names of its results. Removes the record of a source that may not be stored. */
export const remember = (
  service: Service,
  sourceRequest: SourceRequest,
  { record, spooled }: FetchedSource,
  { results, known }: { readonly results: readonly string[]; readonly known: KnownSource },
): Promise<void> => {
  const name = nameOf(service, sourceRequest)
  return mayStore(spooled.cacheability)
    ? service.sources.write(name, { ...record, results }, known)
    : forget(service, name)
}

/** Fetches the source. The caller passes it to {@link remember}. */
export const fetchForDelivery = async (
  service: Service,
  sourceRequest: SourceRequest,
  known?: SourceRecord,
): Promise<FetchedSource> => {
  const { account, url, right, signal } = sourceRequest
  const hosts = account.delivery?.hosts ?? []
  const { maxBytes } = limitsOf(service, account)
  const limits = {
    maxBytes,
    owner: account.username,
    signal: known === undefined ? signal : AbortSignal.any([signal, AbortSignal.timeout(ANSWER_MS)]),
    ...(right === 'signed' ? {} : { mayFetch: (hop: URL) => isListed(hosts, hop) }),
    ...(known === undefined ? {} : { known }),
  }
  const source = { account: account.username, maxBytes, signal }
  const spooled = await receiveWithinCaps(service, source, () => service.fetch(url, limits))
  try {
    return { record: await recordOf(spooled), spooled }
  } catch (error) {
    await spooled.dispose()
    throw error
  }
}

/** Returns the record with the headers of the revalidation. */
const renewed = (known: SourceRecord, { cacheability }: Unchanged): SourceRecord => {
  const { cacheControl } = cacheability
  const stated = cacheControl === undefined ? {} : { cacheControl, shareable: cacheability.shareable }
  return { ...known, ...stated, fetchedAt: Date.now() }
}

/** Whether a source may be revalidated. Unsigned addresses of an account share the rate limit of new results. */
const mayRevalidate = async (service: Service, { account, right }: SourceRequest): Promise<boolean> => {
  const { rate } = service.settings.delivery
  return right === 'signed' || rate === 0 || service.allow(`${account.username} unsigned asks`, rate)
}

/** Revalidates a source with its server (§8.4). */
const revalidate = async (
  service: Service,
  sourceRequest: SourceRequest,
  { value: known, askedAt }: StoreReading<SourceRecord>,
): Promise<DeliverySource> => {
  const name = nameOf(service, sourceRequest)
  if (service.awaySources.has(name)) return { record: known, stale: true }
  if (!(await mayRevalidate(service, sourceRequest))) return { record: known, stale: true }
  try {
    return await fetchForDelivery(service, sourceRequest, known)
  } catch (error) {
    if (error instanceof Unchanged) {
      const record = renewed(known, error)
      await service.sources.write(name, record, { value: known, askedAt })
      return { record }
    }
    if (!isServerAway(error)) throw error
    service.awaySources.add(name)
    return { record: known, stale: true }
  }
}

/** Whether a source needs no revalidation now. */
export const isFreshNow = ({ settings }: Service, record: SourceRecord): boolean =>
  isFresh(record, settings.delivery.maxAge, Date.now())

/** The source by its `known` record, revalidated if stale, fetched if unknown. */
export const findSource = async (
  service: Service,
  sourceRequest: SourceRequest,
  { value, askedAt }: KnownSource,
): Promise<DeliverySource> => {
  if (value === undefined) return fetchForDelivery(service, sourceRequest)
  if (isFreshNow(service, value)) return { record: value }
  return revalidate(service, sourceRequest, { value, askedAt })
}

/** Records the result of a POST under its source, if the account has live delivery, so that a purge removes it too (§8.5). */
export const rememberSource = async (
  service: Service,
  { account, url, spooled, facts }: Pick<Task, 'account' | 'url' | 'spooled' | 'facts'>,
  { digest, key }: { readonly digest: string; readonly key: string },
): Promise<void> => {
  if (account.delivery === undefined || url === undefined || !mayStore(spooled.cacheability)) return
  const { cacheability, validators } = spooled
  const record = { digest, facts, ...cacheability, ...validators, fetchedAt: Date.now(), results: [key] }
  await service.sources.write(nameOf(service, { account, url }, 'posted'), record)
}
