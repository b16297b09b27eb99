/** A Vite plug-in: `import photo from './photo.jpg?whittle&w=400;800&format=webp'` gives the addresses of optimised images. */
import { basename, join } from 'node:path'
import { type BuildSettings, cacheOf, type Optimiser, openOptimiser } from '../build/optimiser.ts'
import type { Candidate } from '../build/picture.ts'
import { digestOf } from '../build/result-cache.ts'
import { pictureFormats, variantsOf } from '../build/variants.ts'
import type { Variant } from '../variant.ts'
import { openDevImages } from './dev-images.ts'
import { isOurs, OURS, readDirectives } from './directives.ts'
import { assetNameOf, fileOf, type Imported, planned, readImport } from './imported.ts'
import { shrinkAssets } from './in-place.ts'
import { type MayServe, servingRule } from './serving.ts'
import { exportOf } from './shape.ts'
import type { BundleFile, DevServer, LoadContext, ViteConfig } from './types.ts'

export { OptimiseError } from '../build/failure.ts'
export type { BuildSettings } from '../build/optimiser.ts'
export type { ImportedImage, ImportedMeta, ImportedPicture } from './shape.ts'

export interface ViteSettings extends BuildSettings {
  /** Default options of every import. */
  readonly defaults?: Variant
  /** Images of the development server: `original` (default), or optimised when a page requests them. */
  readonly dev?: 'original' | 'optimise'
  /** Optimises all other images of the build as well, under their own names and in their own formats. */
  readonly inPlace?: boolean
}

/** The plug-in, as Vite 6 and newer take it. */
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

/** Makes a candidate of a variant, in whichever way the build or the server does. */
type Provide = (image: Imported, variant: Variant, context: LoadContext) => Promise<Candidate> | Candidate

/** Stands for the address of the original, which Vite knows when the module runs. */
const ORIGINAL = '__WHITTLE_ORIGINAL__'

const provideOriginal: Provide = (image, variant) => ({ url: ORIGINAL, variant, result: planned(image, variant) })

/** The code of a module. The original is imported for its address, where it is used. */
const codeOf = (value: unknown, file: string): string => {
  const text = JSON.stringify(value)
  if (!text.includes(ORIGINAL)) return `export default ${text}`
  return [
    `import original from ${JSON.stringify(`${file}?url`)}`,
    `export default JSON.parse(${JSON.stringify(text)}.replaceAll('${ORIGINAL}', () => original))`,
  ].join('\n')
}

const summary = ({ asked, cached, bytes }: ReturnType<Optimiser['totals']>): string =>
  `whittle: ${asked} images asked for, ${cached} from the cache, ${Math.ceil(bytes / 1000)} KB in all`

/** Optimises imported images through a Whittle service, at build time and with a cache on disk. */
export const whittle = (settings: ViteSettings): WhittlePlugin => {
  const { defaults = {}, dev = 'original', inPlace = false } = settings
  let config: ViteConfig
  let optimiser: Optimiser
  let rule: Promise<MayServe> | undefined
  /** Digests of what imports gave: done already. */
  const done = new Set<string>()
  const devImages = openDevImages()

  const emit: Provide = async (image, variant, context) => {
    const result = await optimiser.optimise({ bytes: image.bytes, name: image.name }, variant)
    done.add(digestOf(result.bytes))
    const reference = context.emitFile({
      type: 'asset',
      name: result.kind === 'original' ? basename(image.file) : assetNameOf(image, result.contentType),
      originalFileName: image.name,
      source: result.bytes,
    })
    return { url: `__VITE_ASSET__${reference}__`, variant, result }
  }

  const provideLazily: Provide = (image, variant) => ({
    url: `${config.base}${devImages.add(image, variant)}`,
    variant,
    result: planned(image, variant),
  })

  const provider = (): Provide => {
    if (config.command === 'build') return emit
    return dev === 'optimise' ? provideLazily : provideOriginal
  }

  const refuseOutside = async (file: string): Promise<void> => {
    rule ??= servingRule(config)
    const mayServe = await rule
    if (!mayServe(file)) throw new Error(`${file} lies outside of what server.fs of the Vite configuration allows.`)
  }

  const moduleOf = async (id: string, context: LoadContext): Promise<string> => {
    await refuseOutside(fileOf(id))
    const directives = readDirectives(id.slice(id.indexOf('?') + 1), defaults)
    const image = await readImport(id, config.root)
    context.addWatchFile(image.file)
    const formats = directives.shape === 'picture' ? pictureFormats(image.size) : []
    const variants = variantsOf(directives.variant, { formats, ...directives.lists }, image.size)
    const provide = provider()
    const candidates = await Promise.all(variants.map((variant) => provide(image, variant, context)))
    const asks = directives.placeholder && (config.command === 'build' || dev === 'optimise')
    const placeholder = asks ? await optimiser.placeholder({ bytes: image.bytes, name: image.name }) : undefined
    return codeOf(exportOf(directives.shape, candidates, placeholder), image.file)
  }

  return {
    name: 'whittle',
    enforce: 'pre',
    configResolved: (resolved) => {
      config = resolved
      optimiser = openOptimiser({
        ...settings,
        ...(config.command === 'serve' ? { onError: 'original' } : {}),
        cache: cacheOf(settings, join(config.root, 'node_modules/.cache/whittle')),
        warn: (text) => config.logger.warn(`whittle: ${text}`),
      })
    },
    configureServer: ({ middlewares }) => {
      middlewares.use((request, response, next) => {
        devImages.answer(request.url ?? '', optimiser).then((image) => {
          if (image === undefined) return next()
          response.setHeader('Content-Type', image.contentType)
          response.setHeader('Cache-Control', 'no-cache')
          response.end(image.bytes)
        }, next)
      })
    },
    load: {
      filter: { id: OURS },
      async handler(id) {
        return isOurs(id) ? moduleOf(id, this) : null
      },
    },
    generateBundle: {
      order: 'post',
      handler: async (_options, bundle) => {
        const isDone = (bytes: Uint8Array): boolean => done.has(digestOf(bytes))
        if (inPlace) await shrinkAssets(Object.values(bundle), { optimiser, isDone, quality: defaults.quality })
      },
    },
    writeBundle: () => {
      const totals = optimiser.totals()
      if (totals.asked + totals.cached > 0) config.logger.info(summary(totals))
    },
  }
}
