import { fail } from '../../core/failure.ts'
import type { Extent } from '../../core/image.ts'
import { MAX_INT32 } from '../../core/units.ts'
import type { RootTag } from './markup.ts'
import type { HeaderFacts } from './reader.ts'

/** CSS pixels per unit: 96 per inch, as in browsers. `em` and `ex` are of the default font size. */
const UNITS: ReadonlyMap<string, number> = new Map(
  Object.entries({
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
  }),
)

/** The browsers' default size of an image (CSS 2.2, section 10.3.2). */
const DEFAULT: Extent = { width: 300, height: 150 }

type Length =
  | { readonly kind: 'px'; readonly px: number }
  /** A fraction of the viewBox. An absent or unreadable length is 100 %. */
  | { readonly kind: 'share'; readonly share: number }

const WHOLE: Length = { kind: 'share', share: 1 }
/** A run of digits matches in one way only, so matching takes linear time. */
const LENGTH = /^([+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?)\s*([a-z]*|%)$/i

const readLength = (given: string | undefined): Length => {
  const text = (given ?? '').trim()
  const [, number, unit = ''] = LENGTH.exec(text) ?? []
  if (number === undefined) return WHOLE
  if (unit === '%') return { kind: 'share', share: Number(number) / 100 }
  const px = UNITS.get(unit.toLowerCase())
  return px === undefined ? WHOLE : { kind: 'px', px: Number(number) * px }
}

/** The first value that a style attribute declares for a property, without `!important`. */
const styled = (style: string, property: string): string | undefined => {
  for (const declaration of style.split(';')) {
    const [name = '', value] = declaration.split(':', 2)
    if (value !== undefined && name.trim().toLowerCase() === property) return value.split('!', 1)[0]
  }
  return undefined
}

/** Reads a side. The style attribute outranks the attribute of the same name. */
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

/** Computes a missing side from the other one and the viewBox. Without a viewBox it is the browsers' default. */
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
  // Libraries count pixels in signed numbers of 32 bits.
  return Math.min(MAX_INT32, Math.max(1, Math.round(length)))
}

/** SVG by its root tag. The size is in CSS pixels. Fails with SOURCE_DAMAGED when a side is zero or negative. */
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
