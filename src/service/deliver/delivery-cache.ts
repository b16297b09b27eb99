import type { Answer } from '../../jobs/answer.ts'
import type { SourceRecord } from '../../jobs/source-records.ts'
import { ageCacheControl, capLifetime, lifetimeOf, withMaxAge } from '../../source/cacheability.ts'

/** Lifetime of a quick first result in caches, in seconds (§8.2). */
export const QUICK_SECONDS = 60
/** Lifetime of a stale result in caches, in seconds. The next request to its server follows after that. */
export const STALE_SECONDS = 10

type Stated = Pick<SourceRecord, 'cacheControl' | 'fetchedAt'>

const ageOf = ({ fetchedAt }: Stated, now: number): number => Math.max(0, (now - fetchedAt) / 1000)

/** Whether a source needs no revalidation (§8.4). `maxAge`: lifetime in seconds if its server states none. `now` in ms. */
export const isFresh = (source: Stated, maxAge: number, now: number): boolean =>
  ageOf(source, now) < (lifetimeOf(source.cacheControl) ?? maxAge)

/** Kinds of delivered results: searched, quick, or one whose source could not be revalidated. */
export type Delivered = 'searched' | 'quick' | 'stale'

/** Returns the Cache-Control of a searched result: the source's, reduced by its age. `maxAge`: lifetime in seconds if the source states none; 0 adds none. */
const searchedControl = (source: Stated, maxAge: number, now: number): string | undefined => {
  const { cacheControl } = source
  if (lifetimeOf(cacheControl) !== undefined) return ageCacheControl(cacheControl ?? '', ageOf(source, now))
  if (maxAge === 0) return cacheControl
  const lifetime = `max-age=${Math.round(maxAge)}`
  return cacheControl === undefined ? `public, ${lifetime}` : `${cacheControl}, ${lifetime}`
}

/** Returns the Cache-Control of a delivered result (§8.2, §8.4). Its lifetime is at most the source's. `now` in ms. */
export const deliveryControl = (
  source: Stated,
  delivered: Delivered,
  { maxAge, now }: { readonly maxAge: number; readonly now: number },
): string | undefined => {
  if (delivered === 'searched') return searchedControl(source, maxAge, now)
  const { cacheControl } = source
  if (delivered === 'stale') return withMaxAge(cacheControl, STALE_SECONDS)
  return withMaxAge(
    cacheControl === undefined ? undefined : ageCacheControl(cacheControl, ageOf(source, now)),
    QUICK_SECONDS,
  )
}

/** Limits the lifetime of an answer in caches to that of its address's signature. `expires`: seconds since 1970. */
export const untilExpiry = (answer: Answer, expires: number): Answer =>
  answer.kind === 'image'
    ? { ...answer, cacheControl: capLifetime(answer.cacheControl, Math.floor(expires - Date.now() / 1000)) }
    : answer
