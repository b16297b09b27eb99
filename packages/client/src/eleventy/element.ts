import { type CandidateGroup, cssSizeOf, largestOf, type Picture, srcsetOf } from '../build/picture.ts'

/** Attributes with values that are escaped for HTML. */
export type Attributes = Readonly<Record<string, string>>

/** An element in the form of PostHTML. */
export interface Element {
  readonly tag: string
  readonly attrs: Attributes
  readonly content: readonly Element[]
}

/** Escapes a text for an attribute in double quotes. */
export const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

/** Returns `srcset` of a group, and `sizes` if the descriptors are widths. */
const candidateAttributes = (group: CandidateGroup, sizes: string | undefined): Attributes => {
  const srcset = srcsetOf(group)
  return { srcset, ...(sizes !== undefined && /\dw$/.test(srcset) ? { sizes } : {}) }
}

const imageElement = (group: CandidateGroup, sizes: string | undefined, attributes: Attributes): Element => {
  const largest = largestOf(group)
  const size = cssSizeOf(largest)
  const attrs = {
    src: largest.url,
    ...(group.candidates.length > 1 ? candidateAttributes(group, sizes) : {}),
    ...(size === undefined ? {} : { width: `${size.width}`, height: `${size.height}` }),
    loading: 'lazy',
    decoding: 'async',
    ...attributes,
  }
  return { tag: 'img', attrs, content: [] }
}

/** Returns `<picture>`, or `<img>` alone if there is only one format. `attributes` belong to `<img>` and include `alt`. */
export const pictureElement = (
  { sources, fallback }: Picture,
  sizes: string | undefined,
  attributes: Attributes,
): Element => {
  const image = imageElement(fallback, sizes, attributes)
  if (sources.length === 0) return image
  const content = sources.map((group) => ({
    tag: 'source',
    attrs: { type: group.type, ...candidateAttributes(group, sizes) },
    content: [],
  }))
  return { tag: 'picture', attrs: {}, content: [...content, image] }
}

/** Elements without an end tag. */
const VOID: ReadonlySet<string> = new Set(['img', 'source'])

/** Returns the HTML of an element. */
export const htmlOf = ({ tag, attrs, content }: Element): string => {
  const opening = Object.entries(attrs).map(([name, value]) => ` ${name}="${value}"`)
  return `<${tag}${opening.join('')}>${content.map(htmlOf).join('')}${VOID.has(tag) ? '' : `</${tag}>`}`
}
