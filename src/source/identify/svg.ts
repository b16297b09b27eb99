import { fail } from '../../core/failure.ts'
import type { Extent } from '../../core/image.ts'
import type { RootTag } from './markup.ts'
import type { HeaderFacts } from './reader.ts'

/** CSS pixels per unit: an inch is 96 of them, as in browsers. `em` and `ex` at the default font size. */
const UNITS: Readonly<Record<string, number>> = {
  '': 1,
  px: 1,
  in: 96,
  cm: 96 / 2.54,
  mm: 96 / 25.4,
  q: 96 / 101.6,
  pt: 96 / 72,
  pc: 16,
  em: 16,
  rem: 16,
  ex: 8,
  ch: 8,
}

/** What browsers give an image that says nothing of its size (CSS 2.2, section 10.3.2). */
const DEFAULT: Extent = { width: 300, height: 150 }
const LARGEST = 2 ** 31 - 1

type Length =
  | { readonly kind: 'px'; readonly px: number }
  /** Of the viewBox; what is absent or cannot be read is 100%. */
  | { readonly kind: 'share'; readonly share: number }

const WHOLE: Length = { kind: 'share', share: 1 }
/** No number that means a size is longer. */
const LONGEST_LENGTH = 100
/** There is one way alone to match a run of digits: it stays linear. */
const LENGTH = /^([+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?)\s*([a-z]*|%)$/i

const readLength = (given: string | undefined): Length => {
  const text = (given ?? '').trim()
  const [, number, unit = ''] = (text.length > LONGEST_LENGTH ? null : LENGTH.exec(text)) ?? []
  if (number === undefined) return WHOLE
  if (unit === '%') return { kind: 'share', share: Number(number) / 100 }
  const px = UNITS[unit.toLowerCase()]
  return px === undefined ? WHOLE : { kind: 'px', px: Number(number) * px }
}

/** What a style attribute declares for a property first, without `!important`. */
const styled = (style: string, property: string): string | undefined => {
  for (const declaration of style.split(';')) {
    const [name = '', value] = declaration.split(':', 2)
    if (value !== undefined && name.trim().toLowerCase() === property) return value.split('!', 1)[0]
  }
  return undefined
}

/** A style attribute outranks the attribute of the same name. */
const lengthOf = (root: RootTag, name: 'width' | 'height'): Length =>
  readLength(styled(root.attribute('style') ?? '', name) ?? root.attribute(name))

const viewBoxOf = (root: RootTag): Extent | undefined => {
  const numbers = (root.attribute('viewBox') ?? '')
    .trim()
    .split(/[\s,]+/)
    .map(Number)
  const [, , width = 0, height = 0] = numbers
  return numbers.length === 4 && width > 0 && height > 0 ? { width, height } : undefined
}

/** One given side and the viewBox make the other; without a viewBox the missing side is the browsers' default. */
const solve = (width: Length, height: Length, box: Extent | undefined): Extent => {
  const whole = box ?? DEFAULT
  const across = width.kind === 'px' ? width.px : undefined
  const down = height.kind === 'px' ? height.px : undefined
  const ratio = whole.width / whole.height
  const follow = (share: Length, fallback: number, followed: number | undefined): number => {
    if (share.kind === 'px') return share.px
    return box !== undefined && followed !== undefined ? followed : fallback * share.share
  }
  return {
    width: follow(width, whole.width, down === undefined ? undefined : down * ratio),
    height: follow(height, whole.height, across === undefined ? undefined : across / ratio),
  }
}

const toDevice = (length: number): number => {
  if (!(length > 0)) throw fail('SOURCE_DAMAGED')
  return Math.min(LARGEST, Math.max(1, Math.round(length)))
}

/** SVG by its root tag. The drawn size is in CSS pixels; fails with SOURCE_DAMAGED when a side is zero or negative. */
export const readSvg = (root: RootTag): HeaderFacts => {
  const { width, height } = solve(lengthOf(root, 'width'), lengthOf(root, 'height'), viewBoxOf(root))
  return {
    format: 'svg',
    width: toDevice(width),
    height: toDevice(height),
    frames: 1,
    alpha: true,
    orientation: 1,
    profile: 'none',
  }
}
