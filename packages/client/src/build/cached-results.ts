/** Results of a build: from the cache if it has a current one, otherwise from the service. */
import { whittle } from '../client.ts'
import type { Placeholder } from '../placeholder.ts'
import type { ImageResult } from '../send.ts'
import { applyVariant, type Variant } from '../variant.ts'
import type { BuildRequests, BuildSource } from './build-requests.ts'
import { toOptimiseError } from './failure.ts'
import { type CachedResult, keyOf, type ResultCache } from './result-cache.ts'

const DAY_MS = 86_400_000

/** Whether the result of an address is usable without a request: for a day, or for `max-age` if that is longer. `now` is in ms since 1970. */
export const isFresh = ({ cacheControl, savedAt }: CachedResult, now: number): boolean => {
  const seconds = Number(/\bmax-age=(\d+)/.exec(cacheControl ?? '')?.[1] ?? 0)
  return now < savedAt + Math.max(DAY_MS, seconds * 1000)
}

/** Whether the search for a result ended before its timeout. The build uses any other result too, but does not cache it. */
export const isFinal = (warnings: readonly string[]): boolean => !warnings.some((text) => /timeout/i.test(text))

/** Whether a cached result needs no request. The content of a source never changes; the image at an address may. */
const isCurrent = (cached: CachedResult | undefined, source: BuildSource): cached is CachedResult =>
  cached !== undefined && ('bytes' in source || isFresh(cached, Date.now()))

const cacheKeyOf = (source: BuildSource, list: string): string =>
  keyOf('url' in source ? source.url : source.bytes, list)

/** Returns the key of an image. It ignores the timeout, since the cache holds only results that no timeout cut short. */
const imageKeyOf = (source: BuildSource, { timeout: _, ...identity }: Variant): string =>
  cacheKeyOf(source, applyVariant(whittle('', '').url(''), identity).options())

const toCached = ({ sourceBytes, quotaRemaining, ...result }: ImageResult): CachedResult => ({
  ...result,
  savedAt: Date.now(),
})

/** Loads images and placeholders. Fails with an OptimiseError. */
export interface CachedResults {
  /** Falls back to an outdated result of the cache, with a warning, if the service is unreachable or busy. */
  readonly loadImage: (source: BuildSource, variant: Variant) => Promise<CachedResult>
  readonly loadPlaceholder: (source: BuildSource) => Promise<Placeholder>
  /** Counts the images from the cache, and the bytes of all different images. */
  readonly totals: () => { readonly cached: number; readonly bytes: number }
}

interface Sources {
  /** Address of the service, for messages. */
  readonly base: string
  readonly cache: ResultCache
  readonly requests: BuildRequests
  readonly warn: (text: string) => void
}

/** Returns the functions that load results from the cache or the service. Concurrent calls for the same image and options share one request. */
export const openCachedResults = ({ base, cache, requests, warn }: Sources): CachedResults => {
  const running = new Map<string, Promise<CachedResult>>()
  const totals = { cached: 0, bytes: 0 }

  const load = async (source: BuildSource, variant: Variant, key: string): Promise<CachedResult> => {
    const cached = await cache.get(key)
    if (isCurrent(cached, source)) {
      totals.cached += 1
      totals.bytes += cached.bytes.length
      return cached
    }
    try {
      const result = toCached(await requests.fetchImage(source, variant))
      totals.bytes += result.bytes.length
      if (isFinal(result.warnings)) await cache.put(key, result)
      return result
    } catch (error) {
      const failure = toOptimiseError(source.name, base, error)
      if (cached === undefined || failure.kind !== 'service') throw failure
      warn(`${failure.message} An older result is used.`)
      return cached
    }
  }

  const loadImage = (source: BuildSource, variant: Variant): Promise<CachedResult> => {
    const key = imageKeyOf(source, variant)
    const loading = running.get(key) ?? load(source, variant, key).finally(() => running.delete(key))
    running.set(key, loading)
    return loading
  }

  /** The cache stores a placeholder as JSON. */
  const loadPlaceholder = async (source: BuildSource): Promise<Placeholder> => {
    const key = cacheKeyOf(source, 'placeholder')
    const cached = await cache.get(key)
    if (isCurrent(cached, source)) return JSON.parse(new TextDecoder().decode(cached.bytes)) as Placeholder
    const placeholder = await requests.fetchPlaceholder(source).catch((error: unknown) => {
      throw toOptimiseError(source.name, base, error)
    })
    const bytes = new TextEncoder().encode(JSON.stringify(placeholder))
    await cache.put(key, { bytes, contentType: 'application/json', warnings: [], savedAt: Date.now() })
    return placeholder
  }

  return { loadImage, loadPlaceholder, totals: () => ({ ...totals }) }
}
