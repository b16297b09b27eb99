import type { Placeholder } from '../placeholder.ts'
import type { Variant } from '../variant.ts'
import { type BuildSource, openBuildRequests, type RequestSettings } from './build-requests.ts'
import { openCachedResults } from './cached-results.ts'
import { OptimiseError } from './failure.ts'
import { contentTypeOf } from './formats.ts'
import { type ImageSize, sizeOf } from './image-size.ts'
import { NO_CACHE, openResultCache, type ResultCache } from './result-cache.ts'

/** Settings of every adapter that optimises at build time. */
export interface BuildSettings extends RequestSettings {
  /** Folder for results, so that a second build sends no requests; `false` disables the cache. */
  readonly cacheDir?: string | false
  /**
   * What happens if an image cannot be optimised: `fail` (default) fails the build, `original` uses the original with a
   * warning. Wrong options and accounts always fail.
   */
  readonly onError?: 'fail' | 'original'
}

/** The image that a page shows. */
export interface BuildResult {
  /** `original`: the image could not be optimised. `bytes` then holds the source, or nothing if the source is an address. */
  readonly kind: 'optimised' | 'original'
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly size: ImageSize | undefined
  readonly contentType: string
  /** The service's warnings. */
  readonly warnings: readonly string[]
  /** SSIMULACRA 2.1 score; 100 equals the source. */
  readonly score?: number
  /** Butteraugli distance to the source, 3-norm. */
  readonly butteraugli?: number
}

/** Counts of one build. */
export interface BuildTotals {
  /** Images that the build requested from the service. */
  readonly requested: number
  /** Images from the cache. */
  readonly cached: number
  /** Bytes of all different results. */
  readonly bytes: number
}

/** Optimises images. Fails with an OptimiseError. With `onError: 'original'` only wrong settings fail. */
export interface Optimiser {
  /** Returns the placeholder of an image, or undefined after a failure that `onError` allows. */
  readonly placeholder: (source: BuildSource) => Promise<Placeholder | undefined>
  /** Returns the optimised image, or the original after a failure that `onError` allows. */
  readonly optimise: (source: BuildSource, variant: Variant) => Promise<BuildResult>
  /** Returns the counts since the optimiser was opened. */
  readonly totals: () => BuildTotals
}

interface OptimiserSettings extends Omit<BuildSettings, 'cacheDir'> {
  readonly cache: ResultCache
  readonly warn: (text: string) => void
}

/** Opens the cache in the folder of the settings, or by default in the adapter's own folder. */
export const openCache = ({ cacheDir }: BuildSettings, defaultDir: string): ResultCache =>
  cacheDir === false ? NO_CACHE : openResultCache(cacheDir ?? defaultDir)

const NO_BYTES = new Uint8Array()

const originalOf = (source: BuildSource): BuildResult => {
  const bytes = 'bytes' in source ? source.bytes : NO_BYTES
  const size = sizeOf(bytes)
  const contentType = size === undefined ? 'application/octet-stream' : contentTypeOf(size.format)
  return { kind: 'original', bytes, size, contentType, warnings: [] }
}

/** Opens an optimiser that uses the cache and the service. Concurrent calls for the same image and options share one request. */
export const openOptimiser = (settings: OptimiserSettings): Optimiser => {
  const { base, cache, warn, onError = 'fail' } = settings
  const requests = openBuildRequests(settings)
  const results = openCachedResults({ base, cache, requests, warn })

  const optimise = async (source: BuildSource, variant: Variant): Promise<BuildResult> => {
    const result = await results.loadImage(source, variant)
    for (const text of result.warnings) warn(`${source.name}: ${text}`)
    return { ...result, kind: 'optimised', size: sizeOf(result.bytes) }
  }

  /** Replaces a failure that `onError` allows by a warning and a substitute. */
  const orSubstitute = async <Result>(work: Promise<Result>, substitute: () => Result): Promise<Result> => {
    try {
      return await work
    } catch (error) {
      if (!(error instanceof OptimiseError) || onError === 'fail' || error.kind === 'settings') throw error
      warn(error.message)
      return substitute()
    }
  }

  return {
    placeholder: (source) => orSubstitute<Placeholder | undefined>(results.loadPlaceholder(source), () => undefined),
    optimise: (source, variant) => orSubstitute(optimise(source, variant), () => originalOf(source)),
    totals: () => ({ requested: requests.sentCount(), ...results.totals() }),
  }
}
