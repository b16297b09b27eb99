import type { RequestedFormat, VariantLists } from '../build/variants.ts'
import { PLACEHOLDERS, type PlaceholderKind } from '../placeholder.ts'
import { cropOf, type Variant } from '../variant.ts'
import { type Attributes, escaped } from './element.ts'

/** Parsed arguments of the shortcode. */
export interface ImageCall {
  readonly variant: Variant
  readonly lists: VariantLists
  readonly sizes: string | undefined
  /** The placeholder to show until the image has loaded. */
  readonly placeholder: PlaceholderKind | undefined
  /** All other attributes of `<img>`, including `alt`. */
  readonly attributes: Attributes
}

type Options = Readonly<Record<string, unknown>>

const isOptions = (value: unknown): value is Options =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Stands for the width of the source, in CSS pixels: no source is wider, and widths above the source's are reduced to it. */
const SOURCE_WIDTH = 10_000

const widthOf = (value: unknown): number => {
  const width = value === 'auto' || value === null ? SOURCE_WIDTH : Number(value)
  if (!(width >= 1)) throw new Error(`"${value}" is not a width: expected CSS pixels, or auto.`)
  return Math.round(width)
}

const listIn = (value: unknown): readonly unknown[] =>
  Array.isArray(value)
    ? value
    : String(value)
        .split(/[\s,;]+/)
        .filter((item) => item !== '')

/** Parses widths: a list, a number, or a text such as "400, 800". */
const widthsOf = (value: unknown): readonly number[] => listIn(value).map(widthOf)

const cropIn = (value: unknown): Variant['crop'] => {
  const crop = cropOf(value === true ? '' : String(value))
  if (crop === undefined)
    throw new Error(`"${value}" is not a crop: expected auto, an edge, or a point such as 0.5x0.3.`)
  return crop
}

/** Accepts the attributes `trim` and `trim="true"`, and `trim=true` in a template. */
const flagIn = (value: unknown): boolean => value === true || value === '' || value === 'true'

/** The parser of each image option. The plug-in copies all other names to `<img>` as attributes. */
const VARIANT_OPTIONS: ReadonlyMap<string, (value: unknown) => unknown> = new Map(
  Object.entries({
    width: Number,
    height: Number,
    density: Number,
    fit: flagIn,
    pad: flagIn,
    trim: flagIn,
    crop: cropIn,
    background: String,
    quality: String,
    wideGamut: flagIn,
    keepCopyright: flagIn,
    maxBytes: Number,
    preset: String,
  }),
)

const LIST_OPTIONS: ReadonlyMap<string, (value: unknown) => Partial<VariantLists>> = new Map(
  Object.entries({
    widths: (value) => ({ widths: widthsOf(value) }),
    formats: (value) => ({
      formats: listIn(value).map((format) => (format === 'jpg' ? 'jpeg' : format)) as RequestedFormat[],
    }),
    densities: (value) => ({ densities: listIn(value).map(Number) as (1 | 2 | 3)[] }),
  }),
)

const given = (options: Options): readonly (readonly [string, unknown])[] =>
  Object.entries(options).filter(([name, value]) => value !== undefined && name !== '__keywords')

const variantIn = (options: Options): Variant =>
  Object.fromEntries(
    given(options).flatMap(([name, value]) => {
      const read = VARIANT_OPTIONS.get(name)
      return read === undefined ? [] : [[name, read(value)]]
    }),
  )

const listsIn = (options: Options): VariantLists =>
  Object.assign({}, ...given(options).map(([name, value]) => LIST_OPTIONS.get(name)?.(value) ?? {}))

const isImageOption = (name: string): boolean =>
  VARIANT_OPTIONS.has(name) || LIST_OPTIONS.has(name) || name === 'sizes' || name === 'placeholder'

/** Omits attributes that are false or null. Gives attributes that are true an empty value. */
const attributesIn = (options: Options, encode: Encode): Attributes =>
  Object.fromEntries(
    given(options)
      .filter(([name, value]) => !isImageOption(name) && value !== false && value !== null)
      .map(([name, value]) => [name, value === true ? '' : encode(String(value))]),
  )

/** Placeholders by their names and aliases. */
const PLACEHOLDER_NAMES: ReadonlyMap<unknown, PlaceholderKind> = new Map([
  ...PLACEHOLDERS.map((kind) => [kind, kind] as const),
  ['lqip', 'blur'],
  ['colour', 'color'],
  ['dominant', 'color'],
])

const placeholderIn = (value: unknown): PlaceholderKind | undefined => {
  if (value === undefined || value === null || value === false || value === 'none') return undefined
  const kind = PLACEHOLDER_NAMES.get(value)
  if (kind === undefined) throw new Error(`"${value}" is not a placeholder: expected blur or color.`)
  return kind
}

/** Converts a text to HTML. */
type Encode = (text: string) => string

/**
 * Parses options and attributes of an image. By default their texts come from HTML and are escaped already. Fails with an
 * Error that names the accepted values.
 */
export const readOptions = (options: Options, encode: Encode = (text) => text): ImageCall => {
  const sizes = options['sizes']
  return {
    variant: variantIn(options),
    lists: listsIn(options),
    sizes: sizes === undefined || sizes === null ? undefined : encode(String(sizes)),
    placeholder: placeholderIn(options['placeholder']),
    attributes: attributesIn(options, encode),
  }
}

/**
 * Parses the arguments after the source of the shortcode: alt, widths, sizes, and an object of options at the end (in Nunjucks
 * `quality="high"`). Fails with an Error without an alt, or like {@link readOptions}.
 */
export const readCall = (src: string, given: readonly unknown[]): ImageCall => {
  const last = given.at(-1)
  const named = isOptions(last) ? last : {}
  const [alt, widths, sizes] = isOptions(last) ? given.slice(0, -1) : given
  const positions = Object.entries({ alt, widths, sizes }).filter(([, value]) => value !== undefined && value !== null)
  const options = { ...named, ...Object.fromEntries(positions) }
  if (typeof options['alt'] !== 'string')
    throw new Error(`${src} has no alt: describe the image, or pass "" for decoration.`)
  return readOptions(options, escaped)
}
