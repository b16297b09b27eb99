/** An Eleventy plug-in: `{% image "photo.jpg", "A photograph", "400, 800" %}` writes `<picture>` with optimised images next to the page. */
import { basename, extname, join } from 'node:path'
import { extensionOf } from '../build/formats.ts'
import { sizeOf } from '../build/image-size.ts'
import {
  type BuildSettings,
  type BuildSource,
  cacheOf,
  type Optimised,
  type Optimiser,
  openOptimiser,
} from '../build/optimiser.ts'
import { type Candidate, pictureOf } from '../build/picture.ts'
import { digestOf } from '../build/result-cache.ts'
import { pictureFormats, variantsOf, type WantedFormat } from '../build/variants.ts'
import { writeWhole } from '../build/write-whole.ts'
import { placeholderStyle } from '../placeholder.ts'
import type { Variant } from '../variant.ts'
import { type ImageCall, readCall, readOptions } from './arguments.ts'
import { type Attributes, type Element, htmlOf, pictureElement } from './element.ts'
import { findImage, isRemote } from './find-image.ts'
import { transformImages } from './transform.ts'
import type { EleventyConfig } from './types.ts'

export { OptimiseError } from '../build/failure.ts'
export type { BuildSettings } from '../build/optimiser.ts'

export interface EleventySettings extends BuildSettings {
  /** CSS pixels of an image that says nothing else; 400, 800 and 1600 unless given. Nothing wider than the source is made. */
  readonly widths?: readonly number[]
  /** AVIF, WebP and the service's choice of JPEG or PNG unless given; what moves and what is drawn stays so. */
  readonly formats?: readonly WantedFormat[]
  /** `sizes` of an image that says nothing else. */
  readonly sizes?: string
  /** Default options of every image. */
  readonly defaults?: Variant
  /** Where pages find the images; `/img/` unless given. */
  readonly urlPath?: string
  /** Where they are written; `urlPath` in the output unless given. */
  readonly outputDir?: string
  /** Name of the shortcode; `image` unless given. */
  readonly shortcode?: string
  /** Also optimises every `<img>` of the pages whose file is found. */
  readonly transform?: boolean
}

const WIDTHS = [400, 800, 1600] as const

/** Letters and digits of a source's name. */
const slugOf = (name: string): string => basename(name, extname(name)).replaceAll(/[^\p{L}\p{N}._-]+/gu, '-') || 'image'

const nameOfRemote = (url: string): string => new URL(url, 'https://localhost').pathname.split('/').at(-1) || 'image'

/** Adds the shortcode, and the transform where it is wanted. */
export const whittle = (eleventy: EleventyConfig, settings: EleventySettings): void => {
  const { urlPath = '/img/', shortcode = 'image', transform = false } = settings
  const root = process.cwd()
  const optimiser: Optimiser = openOptimiser({
    ...settings,
    cache: cacheOf(settings, join(root, '.cache/whittle')),
    warn: (text) => console.warn(`[whittle] ${text}`),
  })

  /** Writes a result into the output, and gives its address. What could not be had is left where it is. */
  const place = async (name: string, result: Optimised, remote: string | undefined): Promise<string> => {
    if (result.kind === 'original' && remote !== undefined) return remote
    const extension = result.kind === 'original' ? extname(name).slice(1) : extensionOf(result.contentType)
    const file = `${slugOf(name)}-${digestOf(result.bytes).slice(0, 10)}.${extension}`
    await writeWhole(join(settings.outputDir ?? join(eleventy.directories.output, urlPath), file), result.bytes)
    return `${urlPath.replace(/\/*$/, '/')}${encodeURIComponent(file)}`
  }

  /** The attributes of an image with its placeholder behind it; a style of its own comes last. */
  const withPlaceholder = async (source: BuildSource, { placeholder, attributes }: ImageCall): Promise<Attributes> => {
    const told = placeholder && (await optimiser.placeholder(source))
    if (placeholder === undefined || told === undefined) return attributes
    const { style = '', ...others } = attributes
    return { ...others, style: [placeholderStyle(placeholder, told), style].filter(Boolean).join(';') }
  }

  const elementOf = async (source: BuildSource, call: ImageCall): Promise<Element> => {
    const size = 'bytes' in source ? sizeOf(source.bytes) : undefined
    const drawn = size?.format === 'svg'
    const lists = {
      widths: drawn ? [] : (settings.widths ?? WIDTHS),
      formats: drawn ? [] : (settings.formats ?? pictureFormats(size)),
      ...call.lists,
    }
    const variants = variantsOf({ ...settings.defaults, ...call.variant }, lists, size)
    const candidates = variants.map(async (variant): Promise<Candidate> => {
      const result = await optimiser.optimise(source, variant)
      const url = await place(source.name, result, 'url' in source ? source.url : undefined)
      return { url, variant, result }
    })
    const picture = pictureOf(await Promise.all(candidates))
    if (picture === undefined) throw new Error(`${source.name}: no format was asked for.`)
    return pictureElement(picture, call.sizes ?? settings.sizes, await withPlaceholder(source, call))
  }

  const placesFor = (template: string | undefined) => ({ root, input: eleventy.directories.input, template })

  eleventy.addAsyncShortcode(shortcode, async function (src, ...given) {
    const call = readCall(src, given)
    const source = isRemote(src)
      ? { url: src.startsWith('//') ? `https:${src}` : src, name: nameOfRemote(src) }
      : await findImage(src, placesFor(this.page?.inputPath))
    return htmlOf(await elementOf(source, call))
  })

  if (transform)
    eleventy.htmlTransformer.addPosthtmlPlugin('html', (context) =>
      transformImages(async (src, options) => {
        if (isRemote(src) || src.startsWith('data:') || src.startsWith(urlPath)) return undefined
        const source = await findImage(src, placesFor(context.page?.inputPath)).catch(() => undefined)
        return source && elementOf(source, readOptions(options))
      }),
    )

  eleventy.on('eleventy.after', () => {
    const { asked, cached, bytes } = optimiser.totals()
    if (asked > 0)
      console.info(
        `[whittle] ${asked} images asked for, ${cached} from the cache, ${Math.ceil(bytes / 1000)} KB in all`,
      )
  })
}
