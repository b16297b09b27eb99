import type { VariantLists, WantedFormat } from '../build/variants.ts'
import { PLACEHOLDERS, type PlaceholderKind } from '../placeholder.ts'
import { cropOf, type Variant } from '../variant.ts'
import { type Attributes, escaped } from './element.ts'

/** Arguments of a shortcode. */
export interface ImageCall {
  readonly variant: Variant
  readonly lists: VariantLists
  readonly sizes: string | undefined
  /** Shown until the image has loaded. */
  readonly placeholder: PlaceholderKind | undefined
  /** Of `<img>`, `alt` among them. */
  readonly attributes: Attributes
}

type Options = Readonly<Record<string, unknown>>

const isOptions = (value: unknown): value is Options =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Wider than any source: its own width, since nothing is enlarged. */
const OWN_WIDTH = 10_000

const widthOf = (value: unknown): number => {
  const width = value === 'auto' || value === null ? OWN_WIDTH : Number(value)
  if (!(width >= 1)) throw new Error(`"${value}" is no width: expected CSS pixels, or auto.`)
  return Math.round(width)
}

const listIn = (value: unknown): readonly unknown[] =>
  Array.isArray(value)
    ? value
    : String(value)
        .split(/[\s,;]+/)
        .filter((item) => item !== '')

/** Widths as templates write them: a list, a number, or a text such as "400, 800". */
const widthsOf = (value: unknown): readonly number[] => listIn(value).map(widthOf)

const cropIn = (value: unknown): Variant['crop'] => {
  const crop = cropOf(value === true ? '' : String(value))
  if (crop === undefined) throw new Error(`"${value}" is no crop: expected auto, an edge, or a point such as 0.5x0.3.`)
  return crop
}

/** `trim` and `trim="true"` as attributes, `trim=true` in a template. */
const flagIn = (value: unknown): boolean => value === true || value === '' || value === 'true'

/** Options that are of the image, each with its reader; all others are attributes. */
const VARIANT_OPTIONS: Readonly<Record<string, (value: unknown) => unknown>> = {
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
}

const LIST_OPTIONS: Readonly<Record<string, (value: unknown) => Partial<VariantLists>>> = {
  widths: (value) => ({ widths: widthsOf(value) }),
  formats: (value) => ({
    formats: listIn(value).map((format) => (format === 'jpg' ? 'jpeg' : format)) as WantedFormat[],
  }),
  densities: (value) => ({ densities: listIn(value).map(Number) as (1 | 2 | 3)[] }),
}

const given = (options: Options): readonly (readonly [string, unknown])[] =>
  Object.entries(options).filter(([name, value]) => value !== undefined && name !== '__keywords')

const variantIn = (options: Options): Variant =>
  Object.fromEntries(
    given(options).flatMap(([name, value]) => {
      const read = VARIANT_OPTIONS[name]
      return read === undefined ? [] : [[name, read(value)]]
    }),
  )

const listsIn = (options: Options): VariantLists =>
  Object.assign({}, ...given(options).map(([name, value]) => LIST_OPTIONS[name]?.(value) ?? {}))

const isOfImage = (name: string): boolean =>
  name in VARIANT_OPTIONS || name in LIST_OPTIONS || name === 'sizes' || name === 'placeholder'

/** Those that are false are left out; those that are true have no value. */
const attributesIn = (options: Options, written: Written): Attributes =>
  Object.fromEntries(
    given(options)
      .filter(([name, value]) => !isOfImage(name) && value !== false && value !== null)
      .map(([name, value]) => [name, value === true ? '' : written(String(value))]),
  )

/** Other names for placeholders, as people know them. */
const PLACEHOLDER_NAMES: ReadonlyMap<unknown, PlaceholderKind> = new Map([
  ...PLACEHOLDERS.map((kind) => [kind, kind] as const),
  ['lqip', 'blur'],
  ['colour', 'color'],
  ['dominant', 'color'],
])

const placeholderIn = (value: unknown): PlaceholderKind | undefined => {
  if (value === undefined || value === null || value === false || value === 'none') return undefined
  const kind = PLACEHOLDER_NAMES.get(value)
  if (kind === undefined) throw new Error(`"${value}" is no placeholder: expected blur or color.`)
  return kind
}

/** How a text is written in HTML. */
type Written = (text: string) => string

/** Reads options of an image, and attributes; by default they are those of HTML, escaped already. */
export const readOptions = (options: Options, written: Written = (text) => text): ImageCall => {
  const sizes = options['sizes']
  return {
    variant: variantIn(options),
    lists: listsIn(options),
    sizes: sizes === undefined || sizes === null ? undefined : written(String(sizes)),
    placeholder: placeholderIn(options['placeholder']),
    attributes: attributesIn(options, written),
  }
}

/** Reads what follows the source of a shortcode: alt, widths, sizes, and last an object of options (in Nunjucks `quality="high"`). Fails without an alt. */
export const readCall = (src: string, given: readonly unknown[]): ImageCall => {
  const last = given.at(-1)
  const named = isOptions(last) ? last : {}
  const [alt, widths, sizes] = isOptions(last) ? given.slice(0, -1) : given
  const positions = Object.entries({ alt, widths, sizes }).filter(([, value]) => value !== undefined && value !== null)
  const options = { ...named, ...Object.fromEntries(positions) }
  if (typeof options['alt'] !== 'string')
    throw new Error(`${src} has no alt: say what it shows, or "" where it is decoration.`)
  return readOptions(options, escaped)
}
