import { type CandidateGroup, cssSizeOf, largestOf, type Picture, srcsetOf } from '../build/picture.ts'

/** Attributes as they stand in HTML, escaped. */
export type Attributes = Readonly<Record<string, string>>

/** An element as PostHTML has it. */
export interface Element {
  readonly tag: string
  readonly attrs: Attributes
  readonly content: readonly Element[]
}

/** For double quotes. */
export const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

/** `srcset` of a group, with `sizes` where its widths are described. */
const candidateAttributes = (group: CandidateGroup, sizes: string | undefined): Attributes => {
  const srcset = srcsetOf(group)
  return { srcset, ...(sizes !== undefined && /\d+w$/.test(srcset) ? { sizes } : {}) }
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

/** `<img>`, within `<picture>` where there are sources of other formats. `attributes` are those of `<img>`, `alt` among them. */
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

const VOID: ReadonlySet<string> = new Set(['img', 'source'])

/** An element as text. */
export const htmlOf = ({ tag, attrs, content }: Element): string => {
  const opening = Object.entries(attrs).map(([name, value]) => ` ${name}="${value}"`)
  return `<${tag}${opening.join('')}>${content.map(htmlOf).join('')}${VOID.has(tag) ? '' : `</${tag}>`}`
}
