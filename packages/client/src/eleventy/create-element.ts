import type { BuildSource } from '../build/build-requests.ts'
import { sizeOf } from '../build/image-size.ts'
import type { Optimiser } from '../build/optimiser.ts'
import { type Candidate, pictureOf } from '../build/picture.ts'
import { pictureFormats, type RequestedFormat, variantsOf } from '../build/variants.ts'
import { placeholderStyle } from '../placeholder.ts'
import type { Variant } from '../variant.ts'
import type { ImageCall } from './arguments.ts'
import { type Attributes, type Element, pictureElement } from './element.ts'
import { type ImageFolder, writeResult } from './write-result.ts'

/** Defaults for images without their own options. */
export interface ImageDefaults {
  /** Widths in CSS pixels; 400, 800 and 1600 by default. The plug-in creates no image that is wider than the source. */
  readonly widths?: readonly number[]
  /** Output formats; AVIF, WebP and `auto` (JPEG or PNG) by default. For animations only animated formats, for SVG only SVG. */
  readonly formats?: readonly RequestedFormat[]
  /** The attribute `sizes`. */
  readonly sizes?: string
  /** All other options. */
  readonly defaults?: Variant
}

interface ImageTools {
  readonly optimiser: Optimiser
  readonly defaults: ImageDefaults
  /** Returns the current output folder. Eleventy may change it after the plug-in was added. */
  readonly folder: () => ImageFolder
}

const WIDTHS = [400, 800, 1600] as const

/** Optimises one variant and writes it to the folder. An original with an address keeps that address. */
const candidateOf = async (tools: ImageTools, source: BuildSource, variant: Variant): Promise<Candidate> => {
  const result = await tools.optimiser.optimise(source, variant)
  const keepsAddress = result.kind === 'original' && 'url' in source
  const url = keepsAddress ? source.url : await writeResult(tools.folder(), source.name, result)
  return { url, variant, result }
}

/** Returns the attributes with the style of the placeholder in front of the image's own style. */
const withPlaceholder = async (
  optimiser: Optimiser,
  source: BuildSource,
  { placeholder: kind, attributes }: ImageCall,
): Promise<Attributes> => {
  const placeholder = kind && (await optimiser.placeholder(source))
  if (kind === undefined || placeholder === undefined) return attributes
  const { style = '', ...others } = attributes
  return { ...others, style: [placeholderStyle(kind, placeholder), style].filter(Boolean).join(';') }
}

/** Optimises all variants of an image, writes them, and returns the element. Fails with an OptimiseError, or with the file system's error. */
export const createElement = async (tools: ImageTools, source: BuildSource, call: ImageCall): Promise<Element> => {
  const { optimiser, defaults } = tools
  const size = 'bytes' in source ? sizeOf(source.bytes) : undefined
  const isSvg = size?.format === 'svg'
  const lists = {
    widths: isSvg ? [] : (defaults.widths ?? WIDTHS),
    formats: isSvg ? [] : (defaults.formats ?? pictureFormats(size)),
    ...call.lists,
  }
  const variants = variantsOf({ ...defaults.defaults, ...call.variant }, lists, size)
  const candidates = await Promise.all(variants.map((variant) => candidateOf(tools, source, variant)))
  const picture = pictureOf(candidates)
  if (picture === undefined) throw new Error(`${source.name}: the list of formats is empty.`)
  return pictureElement(picture, call.sizes ?? defaults.sizes, await withPlaceholder(optimiser, source, call))
}
