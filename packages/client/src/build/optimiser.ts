import { whittle } from '../client.ts'
import type { Placeholder } from '../placeholder.ts'
import type { ClientSettings, ImageResult } from '../send.ts'
import { askFor, type Variant } from '../variant.ts'
import { failureOf, OptimiseError } from './failure.ts'
import { contentTypeOf } from './formats.ts'
import { type ImageSize, sizeOf } from './image-size.ts'
import { type KeptResult, keyOf, NO_CACHE, openResultCache, type ResultCache } from './result-cache.ts'
import { openTurns } from './turns.ts'

/** Settings of every adapter that optimises at build time. */
export interface BuildSettings extends Pick<ClientSettings, 'retries' | 'key'> {
  /** Address of the service, with its path prefix. */
  readonly base: string
  readonly account: string
  /** Where results are kept by content, so that a second build asks nothing; false for nowhere. */
  readonly cacheDir?: string | false
  /** Most images that are asked for at once; 4 unless given. */
  readonly concurrency?: number
  /** For an image that could not be optimised: `fail` (default) fails the build, `original` keeps it with a warning. Wrong options and accounts always fail. */
  readonly onError?: 'fail' | 'original'
}

/** An image to optimise: content with a name for messages, or an address that the service fetches. */
export type BuildSource =
  | { readonly bytes: Uint8Array<ArrayBuffer>; readonly name: string }
  | { readonly url: string; readonly name: string }

/** The result of an image. */
export interface Optimised {
  /** `original` where it could not be optimised: of content its own bytes, of an address none. */
  readonly kind: 'optimised' | 'original'
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly size: ImageSize | undefined
  readonly contentType: string
  /** The service's warnings. */
  readonly warnings: readonly string[]
  readonly score?: number
  readonly butteraugli?: number
}

export interface Optimiser {
  /** Placeholder of an image. Fails as `optimise` does; undefined with `onError: 'original'`. */
  readonly placeholder: (source: BuildSource) => Promise<Placeholder | undefined>
  /** Fails with an OptimiseError, unless originals were asked for instead. */
  readonly optimise: (source: BuildSource, variant: Variant) => Promise<Optimised>
  /** Totals since it was opened: requested images, results from the cache, bytes of all different results. */
  readonly totals: () => { readonly asked: number; readonly cached: number; readonly bytes: number }
}

const DAY_MS = 86_400_000
/** How long a service that could not be reached is not asked again: a build with a thousand images waits once. */
const AWAY_MS = 10_000

/** The address of an image is asked again after a day, or as much later as its server allows. */
export const isFresh = ({ cacheControl, savedAt }: KeptResult, now: number): boolean => {
  const seconds = Number(/\bmax-age=(\d+)/.exec(cacheControl ?? '')?.[1] ?? 0)
  return now < savedAt + Math.max(DAY_MS, seconds * 1000)
}

/** A result that a timeout cut short is used, and asked for again by the next build. */
export const isFinal = (warnings: readonly string[]): boolean => !warnings.some((text) => /timeout/i.test(text))

const keptOf = ({ sourceBytes, quotaRemaining, ...result }: ImageResult): KeptResult => ({
  ...result,
  savedAt: Date.now(),
})

const optimised = (kept: KeptResult): Optimised => ({ ...kept, kind: 'optimised', size: sizeOf(kept.bytes) })

const NOTHING = new Uint8Array()

const original = (source: BuildSource): Optimised => {
  const bytes = 'bytes' in source ? source.bytes : NOTHING
  const size = sizeOf(bytes)
  const contentType = size === undefined ? 'application/octet-stream' : contentTypeOf(size.format)
  return { kind: 'original', bytes, size, contentType, warnings: [] }
}

interface Opening extends Omit<BuildSettings, 'cacheDir'> {
  readonly cache: ResultCache
  readonly warn: (text: string) => void
}

/** Where results are kept: in what the settings say, else in the adapter's own place. */
export const cacheOf = ({ cacheDir }: BuildSettings, place: string): ResultCache =>
  cacheDir === false ? NO_CACHE : openResultCache(cacheDir ?? place)

/** Whether a cached result of a source needs no request. Content never changes, an address may. */
const isCurrent = (kept: KeptResult | undefined, source: BuildSource): kept is KeptResult =>
  kept !== undefined && ('bytes' in source || isFresh(kept, Date.now()))

const cacheKeyOf = (source: BuildSource, list: string): string =>
  keyOf('url' in source ? source.url : source.bytes, list)

/** Optimises images through the service. Concurrent calls for the same image and options share one request. */
export const openOptimiser = (settings: Opening): Optimiser => {
  const { base, account, cache, warn, retries, key, concurrency = 4, onError = 'fail' } = settings
  const images = whittle(base, account, {
    ...(retries === undefined ? {} : { retries }),
    ...(key === undefined ? {} : { key }),
  })
  const requestOf = (source: BuildSource) =>
    'url' in source ? images.url(source.url) : images.upload(source.bytes, source.name)
  const inTurn = openTurns(concurrency)
  const underWay = new Map<string, Promise<KeptResult>>()
  const totals = { asked: 0, cached: 0, bytes: 0 }
  let away: { readonly until: number; readonly error: unknown } | undefined

  const ask = async (source: BuildSource, variant: Variant): Promise<ImageResult> => {
    if (away !== undefined && Date.now() < away.until) throw away.error
    totals.asked += 1
    try {
      return await askFor(requestOf(source), variant).fetch()
    } catch (error) {
      if (error instanceof TypeError) away = { until: Date.now() + AWAY_MS, error }
      throw error
    }
  }

  const make = async (source: BuildSource, variant: Variant, key: string): Promise<KeptResult> => {
    const kept = await cache.get(key)
    if (isCurrent(kept, source)) {
      totals.cached += 1
      totals.bytes += kept.bytes.length
      return kept
    }
    try {
      const made = keptOf(await inTurn(() => ask(source, variant)))
      totals.bytes += made.bytes.length
      if (isFinal(made.warnings)) await cache.put(key, made)
      return made
    } catch (error) {
      const failure = failureOf(source.name, base, error)
      if (kept === undefined || failure.kind !== 'service') throw failure
      warn(`${failure.message} An older result is used.`)
      return kept
    }
  }

  const once = (source: BuildSource, variant: Variant): Promise<KeptResult> => {
    const { timeout: _, ...identity } = variant
    const key = cacheKeyOf(source, askFor(images.url(''), identity).options())
    const making = underWay.get(key) ?? make(source, variant, key).finally(() => underWay.delete(key))
    underWay.set(key, making)
    return making
  }

  const optimise = async (source: BuildSource, variant: Variant): Promise<Optimised> => {
    const result = await once(source, variant)
    for (const text of result.warnings) warn(`${source.name}: ${text}`)
    return optimised(result)
  }

  /** Kept in the cache of results, as JSON. */
  const describe = async (source: BuildSource): Promise<Placeholder> => {
    const key = cacheKeyOf(source, 'placeholder')
    const kept = await cache.get(key)
    if (isCurrent(kept, source)) return JSON.parse(new TextDecoder().decode(kept.bytes)) as Placeholder
    const made = await inTurn(() => requestOf(source).placeholder()).catch((error: unknown) => {
      throw failureOf(source.name, base, error)
    })
    const bytes = new TextEncoder().encode(JSON.stringify(made))
    await cache.put(key, { bytes, contentType: 'application/json', warnings: [], savedAt: Date.now() })
    return made
  }

  /** Instead of a failure that `onError` allows: a warning and a substitute. */
  const unlessFailed = async <Result>(work: Promise<Result>, substitute: () => Result): Promise<Result> => {
    try {
      return await work
    } catch (error) {
      if (!(error instanceof OptimiseError) || onError === 'fail' || error.kind === 'settings') throw error
      warn(error.message)
      return substitute()
    }
  }

  return {
    placeholder: (source) => unlessFailed<Placeholder | undefined>(describe(source), () => undefined),
    optimise: (source, variant) => unlessFailed(optimise(source, variant), () => original(source)),
    totals: () => ({ ...totals }),
  }
}
