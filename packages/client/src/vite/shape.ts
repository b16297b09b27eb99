import { type Candidate, cssSizeOf, largestOf, pictureOf, srcsetOf } from '../build/picture.ts'
import type { Placeholder } from '../placeholder.ts'
import type { Shape } from './directives.ts'

/** Attributes of an `<img>`. `w` and `h` are CSS pixels, absent if the size is unknown. */
export interface ImportedImage {
  readonly src: string
  readonly srcset?: string
  readonly w?: number
  readonly h?: number
  /** Present if the import requests a placeholder, and the server optimises images. */
  readonly placeholder?: Placeholder
}

/** A `<picture>`: the `srcset` of each `<source>` by its format (`avif`, `webp`), and the `<img>`. */
export interface ImportedPicture {
  readonly sources: Readonly<Record<string, string>>
  readonly img: ImportedImage
}

/** Address, media type and size in pixels of one variant. */
export interface ImportedMeta {
  readonly src: string
  readonly type: string
  readonly width?: number
  readonly height?: number
}

const nameOf = (type: string): string => type.replace(/^image\//, '')

const imageOf = (candidates: readonly Candidate[], placeholder?: Placeholder): ImportedImage => {
  const group = pictureOf(candidates)?.fallback
  if (group === undefined) return { src: '' }
  const largest = largestOf(group)
  const size = cssSizeOf(largest)
  return {
    src: largest.url,
    ...(group.candidates.length > 1 ? { srcset: srcsetOf(group) } : {}),
    ...(size === undefined ? {} : { w: size.width, h: size.height }),
    ...(placeholder === undefined ? {} : { placeholder }),
  }
}

const metaOf = ({ url, result }: Candidate): ImportedMeta => ({
  src: url,
  type: result.contentType,
  ...(result.size === undefined ? {} : { width: result.size.width, height: result.size.height }),
})

const oneOrAll = <Item>(items: readonly Item[]): Item | readonly Item[] => {
  const [first, ...more] = items
  return first === undefined || more.length > 0 ? items : first
}

/** The value of each shape. `url` and `meta` are lists if there are several candidates. */
const VALUES: Readonly<Record<Shape, (candidates: readonly Candidate[], placeholder?: Placeholder) => unknown>> = {
  url: (candidates) => oneOrAll(candidates.map(({ url }) => url)),
  srcset: (candidates) => {
    const group = pictureOf(candidates)?.fallback
    return group === undefined ? '' : srcsetOf(group)
  },
  img: imageOf,
  lqip: (_candidates, placeholder) => placeholder?.blurDataURL ?? '',
  picture: (candidates, placeholder): ImportedPicture => ({
    sources: Object.fromEntries(
      (pictureOf(candidates)?.sources ?? []).map((group) => [nameOf(group.type), srcsetOf(group)]),
    ),
    img: imageOf(candidates, placeholder),
  }),
  meta: (candidates) => oneOrAll(candidates.map(metaOf)),
}

/** Returns the default export of an import. */
export const exportOf = (shape: Shape, candidates: readonly Candidate[], placeholder?: Placeholder): unknown =>
  VALUES[shape](candidates, placeholder)
