/** Content of an HTML page for an audit: its images with their shown sizes, its style sheets and its links. */
import { Parser } from 'htmlparser2'
import { MAX_VALUE_CHARS } from '../core/untrusted-header.ts'
import { imagesOfDeclarations, imagesOfStyles } from './style-images.ts'

/** The kind of a mention of an image. */
export type ImageRole = 'img' | 'candidate' | 'background' | 'poster' | 'icon' | 'preview'

/** One mention of an image on a page. */
export interface ImageUse {
  /** Absolute address. */
  readonly url: string
  readonly role: ImageRole
  /** Size in CSS px, if the markup states it. */
  readonly shown: { readonly width?: number; readonly height?: number }
  /** Whether the markup states both sides or an aspect ratio, so that the layout does not shift. Only meaningful for `img`. */
  readonly reservesSpace: boolean
  readonly lazy: boolean
  /** Whether the browser reported it as the largest contentful paint. */
  readonly isLargest?: boolean
}

export interface PageContent {
  readonly images: readonly ImageUse[]
  /** Absolute addresses. */
  readonly styleSheets: readonly string[]
  readonly links: readonly string[]
}

/** Maximum elements of each kind that are read on a page. A hostile page may have millions. */
const MAX_ITEMS = 5000

type Attributes = Readonly<Record<string, string>>

/**
 * An absolute http, https or file address without its fragment. undefined for other addresses, such as `data:`, and for longer ones than
 * pages need: rules of robots.txt with wildcards take time by their length.
 */
export const absolute = (address: string, base: string): string | undefined => {
  const url = URL.parse(address.trim(), base)
  if (url === null || !['http:', 'https:', 'file:'].includes(url.protocol)) return undefined
  url.hash = ''
  return url.href.length > MAX_VALUE_CHARS ? undefined : url.href
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

/** The index of the first character from `at` on for which `stops` holds, or the end. */
const scan = (text: string, at: number, stops: (character: string) => boolean): number => {
  let index = at
  while (index < text.length && !stops(text[index]!)) index++
  return index
}

/** The addresses of a `srcset`, without their descriptors (HTML standard, "parse a srcset attribute"); the first 5,000 of more. */
export const candidatesOf = (text: string): readonly string[] => {
  const found: string[] = []
  let at = 0
  while (at < text.length && found.length < MAX_ITEMS) {
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

/** How an element presents its images. */
type Presence = Pick<ImageUse, 'shown' | 'reservesSpace' | 'lazy'>

const ABSENT: Presence = { shown: {}, reservesSpace: false, lazy: false }

const presenceOf = (attributes: Attributes): Presence => ({
  shown: shownSize(attributes),
  reservesSpace: reservesSpace(attributes),
  lazy: attributes['loading']?.toLowerCase() === 'lazy',
})

/** The image addresses of one element, as written. */
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

/** Reads one page without running its scripts. `address`: the page's own, which a `<base>` overrides. Invalid markup is skipped. */
export const readPage = (html: string, address: string): PageContent => {
  const images: ImageUse[] = []
  const styleSheets = new Set<string>()
  const links = new Set<string>()
  let base = address
  let openStyle: string[] | undefined
  const addImage = (mention: string, role: ImageRole, presence: Presence): void => {
    if (images.length >= MAX_ITEMS) return
    const url = absolute(mention, base)
    if (url !== undefined) images.push({ url, role, ...presence })
  }
  const addAddress = (to: Set<string>, mention: string | undefined): void => {
    if (to.size >= MAX_ITEMS) return
    const url = mention === undefined ? undefined : absolute(mention, base)
    if (url !== undefined) to.add(url)
  }
  const parser = new Parser({
    onopentag: (name, attributes) => {
      if (name === 'base') base = absolute(attributes['href'] ?? '', address) ?? base
      if (name === 'a' || name === 'area') addAddress(links, attributes['href'])
      if (name === 'link' && /\bstylesheet\b/i.test(attributes['rel'] ?? ''))
        addAddress(styleSheets, attributes['href'])
      if (name === 'style') openStyle = []
      const mentions = [
        ...mentionsOf(name, attributes),
        ...imagesOfDeclarations(attributes['style'] ?? '').map((mention) => [mention, 'background'] as const),
      ]
      // Read once: thousands of mentions may share an attribute of megabytes.
      const presence = mentions.length === 0 ? ABSENT : presenceOf(attributes)
      for (const [mention, role] of mentions) addImage(mention, role, presence)
    },
    ontext: (text) => void openStyle?.push(text),
    onclosetag: (name) => {
      if (name !== 'style' || openStyle === undefined) return
      const { images: found, imports } = imagesOfStyles(openStyle.join(''))
      for (const mention of found) addImage(mention, 'background', ABSENT)
      for (const mention of imports) addAddress(styleSheets, mention)
      openStyle = undefined
    },
  })
  parser.end(html)
  return { images, styleSheets: [...styleSheets], links: [...links] }
}
