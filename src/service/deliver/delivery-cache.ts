import type { Answer } from '../../jobs/answer.ts'
import type { SourceRecord } from '../../jobs/source-records.ts'
import { ageCacheControl, capLifetime, lifetimeOf, withMaxAge } from '../../source/cacheability.ts'

/** Seconds that caches keep a quick first result (§8.2). */
export const QUICK_SECONDS = 60
/** Seconds that caches keep what is served stale: its server is not asked more often either. */
export const STALE_SECONDS = 10

type Stated = Pick<SourceRecord, 'cacheControl' | 'fetchedAt'>

const ageOf = ({ fetchedAt }: Stated, now: number): number => Math.max(0, (now - fetchedAt) / 1000)

/** Whether a source need not be asked for again (§8.4). `maxAge`: seconds, where its server states nothing; `now` in ms. */
export const isFresh = (source: Stated, maxAge: number, now: number): boolean =>
  ageOf(source, now) < (lifetimeOf(source.cacheControl) ?? maxAge)

/** Kinds of delivered results: searched, quick, or one whose source could not be revalidated. */
export type Delivered = 'searched' | 'quick' | 'stale'

/** Cache-Control of a searched result: its source's, less its age; `maxAge` seconds where that says nothing and the setting allows it. */
const searchedControl = (source: Stated, maxAge: number, now: number): string | undefined => {
  const { cacheControl } = source
  if (lifetimeOf(cacheControl) !== undefined) return ageCacheControl(cacheControl ?? '', ageOf(source, now))
  if (maxAge === 0) return cacheControl
  const lifetime = `max-age=${Math.round(maxAge)}`
  return cacheControl === undefined ? `public, ${lifetime}` : `${cacheControl}, ${lifetime}`
}

/** Cache-Control of what is delivered (§8.2, §8.4): never a longer lifetime than its source states. */
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

/** An answer that no cache keeps longer than the signature of its address is valid; `expires` in seconds since 1970. */
export const untilExpiry = (answer: Answer, expires: number): Answer =>
  answer.kind === 'image'
    ? { ...answer, cacheControl: capLifetime(answer.cacheControl, Math.floor(expires - Date.now() / 1000)) }
    : answer
