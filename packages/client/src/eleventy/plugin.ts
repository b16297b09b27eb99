/** An Eleventy plug-in: `{% image "photo.jpg", "A photograph", "400, 800" %}` writes `<picture>` with optimised images next to the page. */
import { join } from 'node:path'
import type { BuildSource } from '../build/build-requests.ts'
import { type BuildSettings, type Optimiser, openCache, openOptimiser } from '../build/optimiser.ts'
import { type ImageCall, readCall, readOptions } from './arguments.ts'
import { createElement, type ImageDefaults } from './create-element.ts'
import { type Element, htmlOf } from './element.ts'
import { findImage, isRemote, remoteImage } from './find-image.ts'
import { transformImages } from './transform.ts'
import type { EleventyConfig } from './types.ts'

export { OptimiseError } from '../build/failure.ts'
export type { BuildSettings } from '../build/optimiser.ts'

/** Settings of the plug-in. */
export interface EleventySettings extends BuildSettings, ImageDefaults {
  /** Address of the images in pages; `/img/` by default. */
  readonly urlPath?: string
  /** Folder for the images; `urlPath` below the output folder by default. */
  readonly outputDir?: string
  /** Name of the shortcode; `image` by default. */
  readonly shortcode?: string
  /** Also optimises each `<img>` of the pages whose file the plug-in finds; false by default. */
  readonly transform?: boolean
}

const logTotals = (optimiser: Optimiser): void => {
  const { requested, cached, bytes } = optimiser.totals()
  if (requested > 0)
    console.info(
      `[whittle] ${requested} images requested, ${cached} from the cache, ${Math.ceil(bytes / 1000)} KB in total`,
    )
}

/** Adds the shortcode to Eleventy, and the transform if `transform` is true. */
export const whittle = (eleventy: EleventyConfig, settings: EleventySettings): void => {
  const { urlPath = '/img/', shortcode = 'image', transform = false } = settings
  const root = process.cwd()
  const optimiser = openOptimiser({
    ...settings,
    cache: openCache(settings, join(root, '.cache/whittle')),
    warn: (text) => console.warn(`[whittle] ${text}`),
  })
  const folder = () => ({
    path: settings.outputDir ?? join(eleventy.directories.output, urlPath),
    url: urlPath,
  })
  const elementOf = (source: BuildSource, call: ImageCall): Promise<Element> =>
    createElement({ optimiser, defaults: settings, folder }, source, call)
  const find = (src: string, template: string | undefined) =>
    findImage(src, { root, input: eleventy.directories.input, template })

  eleventy.addAsyncShortcode(shortcode, async function (src, ...given) {
    const call = readCall(src, given)
    const source = isRemote(src) ? remoteImage(src) : await find(src, this.page?.inputPath)
    return htmlOf(await elementOf(source, call))
  })

  if (transform)
    eleventy.htmlTransformer.addPosthtmlPlugin('html', (context) =>
      transformImages(async (src, options) => {
        if (isRemote(src) || src.startsWith('data:') || src.startsWith(urlPath)) return undefined
        const source = await find(src, context.page?.inputPath).catch(() => undefined)
        return source && elementOf(source, readOptions(options))
      }),
    )

  eleventy.on('eleventy.after', () => logTotals(optimiser))
}
