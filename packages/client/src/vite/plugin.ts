/** A Vite plug-in: `import photo from './photo.jpg?whittle&w=400;800&format=webp'` returns the addresses of optimised images. */
import { join } from 'node:path'
import { type BuildSettings, type BuildTotals, type Optimiser, openCache, openOptimiser } from '../build/optimiser.ts'
import { digestOf } from '../build/result-cache.ts'
import type { Variant } from '../variant.ts'
import { type DevImages, openDevImages } from './dev-images.ts'
import { hasWhittle, WHITTLE_IMPORT } from './directives.ts'
import { fileOf, type Imported } from './imported.ts'
import { shrinkAssets } from './in-place.ts'
import { loadModule } from './load-module.ts'
import { type Provide, provideAsset, provideOnRequest, provideOriginal } from './provide.ts'
import { type MayServe, servingRule } from './serving.ts'
import type { BundleFile, DevServer, LoadContext, ViteConfig } from './types.ts'

export { OptimiseError } from '../build/failure.ts'
export type { BuildSettings } from '../build/optimiser.ts'
export type { ImportedImage, ImportedMeta, ImportedPicture } from './shape.ts'

/** Settings of the plug-in. */
export interface ViteSettings extends BuildSettings {
  /** Default options of every import. */
  readonly defaults?: Variant
  /** Images of the development server: `original` (default), or `optimise` when a browser requests them. */
  readonly dev?: 'original' | 'optimise'
  /** Also optimises all other images of the build, under their own names and in their own formats; false by default. */
  readonly inPlace?: boolean
}

/** The plug-in's object, for Vite 6 and newer. */
export interface WhittlePlugin {
  readonly name: string
  readonly enforce: 'pre'
  readonly configResolved: (config: ViteConfig) => void
  readonly configureServer: (server: DevServer) => void
  readonly load: {
    readonly filter: { readonly id: RegExp }
    readonly handler: (this: LoadContext, id: string) => Promise<string | null>
  }
  readonly generateBundle: {
    readonly order: 'post'
    readonly handler: (options: unknown, bundle: { readonly [name: string]: BundleFile }) => Promise<void>
  }
  readonly writeBundle: () => void
}

const summaryOf = ({ requested, cached, bytes }: BuildTotals): string =>
  `whittle: ${requested} images requested, ${cached} from the cache, ${Math.ceil(bytes / 1000)} KB in total`

/** Returns the hook that sends the variants of a development server to browsers. */
const serveImages =
  (devImages: DevImages, optimiserOf: () => Optimiser): WhittlePlugin['configureServer'] =>
  ({ middlewares }) => {
    middlewares.use((request, response, next) => {
      devImages.answer(request.url ?? '', optimiserOf()).then((image) => {
        if (image === undefined) return next()
        response.setHeader('Content-Type', image.contentType)
        response.setHeader('Cache-Control', 'no-cache')
        response.end(image.bytes)
      }, next)
    })
  }

/** Optimises imported images through a Whittle service at build time. Caches the results on disk. */
export const whittle = (settings: ViteSettings): WhittlePlugin => {
  const { defaults = {}, dev = 'original', inPlace = false } = settings
  let config: ViteConfig
  let optimiser: Optimiser
  let provide: Provide
  let rule: Promise<MayServe> | undefined
  /** Digests of the assets that imports have emitted. */
  const emitted = new Set<string>()
  const devImages = openDevImages()

  const providerOf = ({ command, base }: ViteConfig): Provide => {
    if (command === 'build') return provideAsset(optimiser, emitted)
    return dev === 'optimise' ? provideOnRequest(devImages, base) : provideOriginal
  }

  const refuseOutside = async (file: string): Promise<void> => {
    rule ??= servingRule(config)
    const mayServe = await rule
    if (!mayServe(file))
      throw new Error(`${file} lies outside of the folders that server.fs of the Vite configuration allows.`)
  }

  const load = async (id: string, context: LoadContext): Promise<string> => {
    await refuseOutside(fileOf(id))
    const optimises = config.command === 'build' || dev === 'optimise'
    const placeholderOf = async ({ bytes, name }: Imported) =>
      optimises ? optimiser.placeholder({ bytes, name }) : undefined
    return loadModule(id, { root: config.root, defaults, provide, placeholderOf }, context)
  }

  return {
    name: 'whittle',
    enforce: 'pre',
    configResolved: (resolved) => {
      config = resolved
      optimiser = openOptimiser({
        ...settings,
        ...(config.command === 'serve' ? { onError: 'original' } : {}),
        cache: openCache(settings, join(config.root, 'node_modules/.cache/whittle')),
        warn: (text) => config.logger.warn(`whittle: ${text}`),
      })
      provide = providerOf(config)
    },
    configureServer: serveImages(devImages, () => optimiser),
    load: {
      filter: { id: WHITTLE_IMPORT },
      async handler(id) {
        return hasWhittle(id) ? load(id, this) : null
      },
    },
    generateBundle: {
      order: 'post',
      handler: async (_options, bundle) => {
        const isOptimised = (bytes: Uint8Array): boolean => emitted.has(digestOf(bytes))
        if (inPlace) await shrinkAssets(Object.values(bundle), { optimiser, isOptimised, quality: defaults.quality })
      },
    },
    writeBundle: () => {
      const totals = optimiser.totals()
      if (totals.requested + totals.cached > 0) config.logger.info(summaryOf(totals))
    },
  }
}
