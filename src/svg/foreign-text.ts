import type { Element, Node } from './tree.ts'

const XHTML = '{http://www.w3.org/1999/xhtml}'

/** Elements that contain only text: blocks start a line, inline ones do not. */
const BLOCKS = new Set('address article body center div dd dl dt h1 h2 h3 h4 h5 h6 li ol p pre section ul'.split(' '))
const INLINE = new Set(
  'a abbr b bdi bdo cite code em font i kbd label mark s samp small span strong sub sup u var'.split(' '),
)

/** Inherited properties as declared. */
type Style = Readonly<Record<string, string>>

/** Inherited properties that are read. Box properties count only on the element that declares them. */
const INHERITED = [
  'color', 'font-family', 'font-size', 'font-style', 'font-weight', 'line-height', 'text-align', 'white-space',
] as const // biome-ignore format: a table

const declarationsOf = (element: Element): Map<string, string> =>
  new Map(
    (element.attributes.get('style') ?? '').split(';').flatMap((declaration) => {
      const colon = declaration.indexOf(':')
      const [name, value] = [declaration.slice(0, colon), declaration.slice(colon + 1)]
      return colon < 0 ? [] : [[name.trim().toLowerCase(), value.replace(/!important/i, '').trim()] as const]
    }),
  )

const nameOf = (element: Element): string =>
  (element.name.startsWith(XHTML) ? element.name.slice(XHTML.length) : element.name).toLowerCase()

const OF_ELEMENT: ReadonlyMap<string, Style> = new Map<string, Style>([
  ['b', { 'font-weight': 'bold' }],
  ['strong', { 'font-weight': 'bold' }],
  ['em', { 'font-style': 'italic' }],
  ['i', { 'font-style': 'italic' }],
  ['center', { 'text-align': 'center' }],
])

const styleOf = (element: Element, inherited: Style): Style => {
  const declared = declarationsOf(element)
  const own = INHERITED.flatMap((name) => (declared.has(name) ? [[name, declared.get(name)!] as const] : []))
  return { ...inherited, ...OF_ELEMENT.get(nameOf(element)), ...Object.fromEntries(own) }
}

interface Gathered {
  readonly lines: string[]
  /** The style of the first text that is not white space. */
  style?: Style
  /** Whether there is more than text in one style. */
  rich: boolean
}

const addText = (found: Gathered, text: string, style: Style): void => {
  const words = style['white-space']?.startsWith('pre') === true ? text : text.replace(/[ \t\r\n]+/g, ' ')
  if (words.trim() !== '') {
    found.style ??= style
    if (INHERITED.some((name) => name !== 'white-space' && found.style?.[name] !== style[name])) found.rich = true
  }
  found.lines[found.lines.length - 1] += words
}

const breakLine = ({ lines }: Gathered): void => {
  if (lines.at(-1)?.trim() !== '') lines.push('')
  else lines[lines.length - 1] = ''
}

const gather = (nodes: readonly Node[], style: Style, found: Gathered): void => {
  for (const node of nodes) {
    if (node.kind === 'text') {
      addText(found, node.text, style)
      continue
    }
    const name = nameOf(node)
    if (name === 'br') found.lines.push('')
    else if (BLOCKS.has(name)) {
      breakLine(found)
      gather(node.children, styleOf(node, style), found)
      breakLine(found)
    } else if (INLINE.has(name)) gather(node.children, styleOf(node, style), found)
    else found.rich = true
  }
}

/** A length in px. undefined for anything else, including percentages. */
const pxOf = (value: string | undefined): number | undefined => {
  const [, number] = /^(-?\d{1,6}(?:\.\d{1,6})?)(?:px)?$/.exec(value?.trim() ?? '') ?? []
  return number === undefined ? undefined : Number(number)
}

/** The rectangle of a text, and the alignment of its lines. */
interface TextBox {
  readonly left: number
  readonly top: number
  readonly width: number
  readonly height: number
  readonly across: 'start' | 'middle' | 'end'
  readonly down: 'start' | 'middle' | 'end'
}

const SIDES: ReadonlyMap<string, 'start' | 'middle' | 'end'> = new Map(
  Object.entries({
    center: 'middle',
    middle: 'middle',
    right: 'end',
    end: 'end',
    'flex-end': 'end',
    bottom: 'end',
  }),
)
const sideOf = (value: string | undefined): 'start' | 'middle' | 'end' =>
  SIDES.get((value ?? '').replace(/\b(?:un)?safe\b/, '').trim()) ?? 'start'

/** The rectangle of an object. The outermost element may be a box inside the object, as in diagrams.net. */
const textBoxOf = (foreign: Element, style: Style): TextBox | undefined => {
  const side = (name: string): number | undefined => pxOf(foreign.attributes.get(name))
  const box = foreign.children.find((child) => child.kind === 'element')
  const declared = box?.kind === 'element' ? declarationsOf(box) : new Map<string, string>()
  const px = (name: string): number => pxOf(declared.get(name)) ?? 0
  const width = pxOf(declared.get('width')) ?? side('width')
  const height = pxOf(declared.get('height')) ?? side('height')
  if (width === undefined || height === undefined) return undefined
  const flex = /flex$/.test(declared.get('display') ?? '')
  // A box of one line's height is as high as its text, so browsers show what is centred in it.
  const fits = !flex && !declared.has('height')
  return {
    left: (side('x') ?? 0) + px('margin-left') + px('padding-left'),
    top: (side('y') ?? 0) + px('margin-top') + px('padding-top'),
    width,
    height,
    across:
      flex && declared.has('justify-content') ? sideOf(declared.get('justify-content')) : sideOf(style['text-align']),
    down: flex ? sideOf(declared.get('align-items')) : fits ? 'middle' : sideOf(declared.get('vertical-align')),
  }
}

/** Estimates of text without its font. Chosen, not measured; the size is the default of CSS. */
const TEXT = {
  /** Mean width of a character in a proportional font, in em. */
  characterEm: 0.52,
  /** Default line height, in em. */
  lineEm: 1.2,
  /** px. */
  sizePx: 16,
} as const

/** Breaks lines at an estimated width. */
const wrap = (lines: readonly string[], most: number): readonly string[] =>
  lines.flatMap((line) => {
    const wrapped: string[] = ['']
    for (const word of line.trim().split(/ +/)) {
      const last = wrapped.at(-1)!
      if (last !== '' && last.length + 1 + word.length > most) wrapped.push(word)
      else wrapped[wrapped.length - 1] = last === '' ? word : `${last} ${word}`
    }
    return wrapped
  })

const lineHeightOf = (style: Style, size: number): number => {
  const value = style['line-height'] ?? ''
  const px = /px$/.test(value) ? pxOf(value) : undefined
  const factor = px === undefined ? Number(value) : px / size
  return Number.isFinite(factor) && factor > 0.5 && factor < 5 ? factor : TEXT.lineEm
}

/** A colour in the syntax of SVG 1.1. Of `light-dark()`, the first. */
const colourOf = (value: string | undefined): string | undefined => {
  const [, light] = /^light-dark\(\s*((?:[^(),]|\([^()]*\))+)/.exec(value ?? '') ?? []
  const colour = (light ?? value ?? '').trim()
  return /^(?:#[0-9a-f]{3,8}|[a-z]{3,20}|rgba?\([\d\s.,%]{1,40}\))$/i.test(colour) ? colour : undefined
}

const sizeOf = (style: Style): number | undefined => {
  const [, points] = /^(\d{1,3}(?:\.\d{1,3})?)pt$/.exec(style['font-size'] ?? '') ?? []
  return points === undefined ? pxOf(style['font-size']) : (Number(points) * 4) / 3
}

const attributesOf = (style: Style, place: TextBox): Map<string, string> => {
  const size = sizeOf(style)
  const colour = colourOf(style['color'])
  const family = style['font-family']?.replace(/["';<>]/g, '')
  const styles: readonly (readonly [string, string | undefined])[] = [
    ['fill', colour],
    ['font-family', family],
    ['font-size', size === undefined ? undefined : String(size)],
    ['font-style', style['font-style']],
    ['font-weight', style['font-weight']],
    ['text-anchor', place.across === 'start' ? undefined : place.across],
  ]
  return new Map(
    styles.flatMap(([name, value]) => (value === undefined || value === '' ? [] : [[name, value] as const])),
  )
}

/** Em from the top, the middle or the bottom of the box to the first baseline. */
const firstBaseline = (lines: number, height: number, down: TextBox['down']): number => {
  const baseline = 0.35
  if (down === 'start') return height / 2 + baseline
  return baseline - (down === 'middle' ? (lines - 1) * height * 0.5 : (lines - 0.5) * height)
}

const decimals = (value: number): string => String(Math.round(value * 1000) / 1000)

/**
 * Converts a `foreignObject` with only text in one style, such as a label of diagrams.net or Mermaid, to SVG text. The `text` has one
 * `tspan` per line, at the position and in the style of its inline styles. Returns undefined for other content. Style sheet rules for the
 * HTML elements are ignored; the style of the surrounding drawing is inherited.
 */
export const textOfForeign = (foreign: Element): Element | undefined => {
  const found: Gathered = { lines: [''], rich: false }
  gather(foreign.children, styleOf(foreign, {}), found)
  const style = found.style
  const place = style === undefined || found.rich ? undefined : textBoxOf(foreign, style)
  if (style === undefined || place === undefined) return undefined
  const size = sizeOf(style) ?? TEXT.sizePx
  const kept = found.lines.map((line) => line.trim())
  while (kept.at(-1) === '') kept.pop()
  while (kept[0] === '') kept.shift()
  // A box of almost no width lets its text overflow.
  const free = /^(?:nowrap|pre)$/.test(style['white-space'] ?? '') || place.width < size
  const lines = free ? kept : wrap(kept, Math.max(1, Math.floor((place.width * 1.1) / (size * TEXT.characterEm))))
  const x = place.left + { start: 0, middle: 0.5, end: 1 }[place.across] * place.width
  const y = place.top + { start: 0, middle: 0.5, end: 1 }[place.down] * place.height
  const height = lineHeightOf(style, size)
  const children = lines.map((text, i): Element => {
    const dy = i === 0 ? firstBaseline(lines.length, height, place.down) : height
    const attributes = new Map([
      ['x', decimals(x)],
      ['dy', `${decimals(dy)}em`],
    ])
    // An empty line still takes space.
    return {
      kind: 'element',
      name: 'tspan',
      attributes,
      children: [{ kind: 'text', text: text === '' ? '\u00a0' : text }],
    }
  })
  const attributes = attributesOf(style, place)
  attributes.set('y', decimals(y))
  const transform = foreign.attributes.get('transform')
  if (transform !== undefined) attributes.set('transform', transform)
  return { kind: 'element', name: 'text', attributes, children }
}
