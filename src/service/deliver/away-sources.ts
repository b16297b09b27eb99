import { MAX_REMEMBERED } from '../../core/intervals.ts'
import { setNewest } from '../../support/set-newest.ts'
import { STALE_SECONDS } from './delivery-cache.ts'

/** Sources whose servers failed to respond recently, by the names of their records. */
export interface AwaySources {
  readonly has: (name: string) => boolean
  readonly add: (name: string) => void
}

interface Settings {
  /** Maximum sources. The oldest are removed first. */
  readonly max?: number
  /** Returns the time in ms. */
  readonly now?: () => number
}

/** Remembers each source while caches keep its stale result. Until then the service sends its server no request. */
export const openAwaySources = ({
  max = MAX_REMEMBERED,
  now = () => performance.now(),
}: Settings = {}): AwaySources => {
  const until = new Map<string, number>()
  return {
    has: (name) => (until.get(name) ?? 0) > now(),
    add: (name) => setNewest(until, name, now() + STALE_SECONDS * 1000, max),
  }
}
