/** Content of an HTML page for an audit: its images with their shown sizes, its style sheets and its links. */
import { Parser } from 'htmlparser2'
import { imagesOfDeclarations, imagesOfStyles } from './style-images.ts'

/** How a page names an image. */
export type ImageRole = 'img' | 'candidate' | 'background' | 'poster' | 'icon' | 'preview'

/** One mention of an image on a page. */
export interface ImageUse {
  /** Absolute address. */
  readonly url: string
  readonly role: ImageRole
  /** CSS px, as far as the markup says. */
  readonly shown: { readonly width?: number; readonly height?: number }
  /** Whether the markup reserves the space: both sizes, or an aspect ratio, are there. Only meaningful for `img`. */
  readonly reservesSpace: boolean
  readonly lazy: boolean
  /** The browser painted it as the largest content of its first screen. */
  readonly isLargest?: boolean
}

export interface PageContent {
  readonly images: readonly ImageUse[]
  /** Absolute addresses. */
  readonly styleSheets: readonly string[]
  readonly links: readonly string[]
}

/** Characters of one `srcset` that are read. */
const MAX_SRCSET = 100_000
/** More elements of a kind than this on one page are not read: a stranger's page may hold millions. */
const MAX_ITEMS = 5000

type Attributes = Readonly<Record<string, string>>

/** Absolute http, https or file address without its fragment; undefined for anything else, `data:` included. */
export const absolute = (address: string, base: string): string | undefined => {
  const url = URL.parse(address.trim(), base)
  if (url === null || !['http:', 'https:', 'file:'].includes(url.protocol)) return undefined
  url.hash = ''
  return url.href
}

const pixels = (text: string | undefined): number | undefined => {
  const value = /^(\d{1,5})(?:\.\d{1,9})? ?(?:px)?$/.exec(text?.trim() ?? '')?.[1]
  return value === undefined ? undefined : Number(value)
}

const styleValue = (style: string, property: string): string | undefined =>
  style
    .split(';')
    .map((declaration) => declaration.split(':'))
    .findLast(([name]) => name?.trim().toLowerCase() === property)
    ?.slice(1)
    .join(':')

const isSpace = (character: string | undefined): boolean => character !== undefined && ' \t\n\r\f'.includes(character)

/** The first index from `at` on at which `stops` holds, or the end. */
const scan = (text: string, at: number, stops: (character: string) => boolean): number => {
  let index = at
  while (index < text.length && !stops(text[index]!)) index++
  return index
}

/** Addresses of a `srcset` (HTML standard, "parse a srcset attribute"): descriptors follow each up to the next comma. */
export const candidatesOf = (srcset: string): readonly string[] => {
  const text = srcset.slice(0, MAX_SRCSET)
  const found: string[] = []
  let at = 0
  while (at < text.length) {
    const start = scan(text, at, (character) => character !== ',' && !isSpace(character))
    const end = scan(text, start, isSpace)
    let last = end
    while (last > start && text[last - 1] === ',') last--
    if (last > start) found.push(text.slice(start, last))
    at = last < end ? end : scan(text, end, (character) => character === ',')
  }
  return found
}

const shownSize = ({ width, height, style = '' }: Attributes): ImageUse['shown'] => {
  const shown = {
    width: pixels(styleValue(style, 'width')) ?? pixels(width),
    height: pixels(styleValue(style, 'height')) ?? pixels(height),
  }
  return {
    ...(shown.width === undefined ? {} : { width: shown.width }),
    ...(shown.height === undefined ? {} : { height: shown.height }),
  }
}

const reservesSpace = ({ width, height, style = '' }: Attributes): boolean =>
  (width !== undefined && height !== undefined) || styleValue(style, 'aspect-ratio') !== undefined

/** Images that one element names, as they stand in the markup. */
const mentionsOf = (name: string, attributes: Attributes): readonly (readonly [address: string, role: ImageRole])[] => {
  const candidates = candidatesOf(attributes['srcset'] ?? attributes['imagesrcset'] ?? '')
  const all = (role: ImageRole, address: string | undefined): (readonly [string, ImageRole])[] =>
    address === undefined || address.trim() === '' ? [] : [[address, role]]
  const others = candidates.map((address) => [address, 'candidate'] as const)
  if (name === 'img') return [...all('img', attributes['src']), ...others]
  if (name === 'source') return others
  if (name === 'video') return all('poster', attributes['poster'])
  if (name === 'image') return all('img', attributes['href'] ?? attributes['xlink:href'])
  if (name === 'input' && attributes['type'] === 'image') return all('img', attributes['src'])
  if (name === 'link' && /\bicon\b/i.test(attributes['rel'] ?? '')) return all('icon', attributes['href'])
  if (name === 'link' && attributes['as'] === 'image') return [...all('candidate', attributes['href']), ...others]
  if (name === 'meta' && /^(?:og|twitter):image$/.test(attributes['property'] ?? attributes['name'] ?? ''))
    return all('preview', attributes['content'])
  return []
}

/**
 * Reads one page. `address` is where it was found; a `<base>` of its own counts. Scripts are not run. What cannot be
 * read is left out: a parser of HTML knows no errors.
 */
export const readPage = (html: string, address: string): PageContent => {
  const images: ImageUse[] = []
  const styleSheets = new Set<string>()
  const links = new Set<string>()
  let base = address
  let openStyle: string[] | undefined
  const addImage = (mention: string, role: ImageRole, attributes: Attributes = {}): void => {
    const url = absolute(mention, base)
    if (url === undefined || images.length >= MAX_ITEMS) return
    const lazy = attributes['loading']?.toLowerCase() === 'lazy'
    images.push({ url, role, shown: shownSize(attributes), reservesSpace: reservesSpace(attributes), lazy })
  }
  const addAddress = (to: Set<string>, mention: string | undefined): void => {
    const url = mention === undefined ? undefined : absolute(mention, base)
    if (url !== undefined && to.size < MAX_ITEMS) to.add(url)
  }
  const parser = new Parser({
    onopentag: (name, attributes) => {
      if (name === 'base') base = absolute(attributes['href'] ?? '', address) ?? base
      if (name === 'a' || name === 'area') addAddress(links, attributes['href'])
      if (name === 'link' && /\bstylesheet\b/i.test(attributes['rel'] ?? ''))
        addAddress(styleSheets, attributes['href'])
      if (name === 'style') openStyle = []
      for (const [mention, role] of mentionsOf(name, attributes)) addImage(mention, role, attributes)
      for (const mention of imagesOfDeclarations(attributes['style'] ?? '')) addImage(mention, 'background', attributes)
    },
    ontext: (text) => void openStyle?.push(text),
    onclosetag: (name) => {
      if (name !== 'style' || openStyle === undefined) return
      const { images: found, imports } = imagesOfStyles(openStyle.join(''))
      for (const mention of found) addImage(mention, 'background')
      for (const mention of imports) addAddress(styleSheets, mention)
      openStyle = undefined
    },
  })
  parser.end(html)
  return { images, styleSheets: [...styleSheets], links: [...links] }
}
