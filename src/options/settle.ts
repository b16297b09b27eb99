import {
  GAMUTS,
  type Gamut,
  METADATA,
  type Metadata,
  REQUESTABLE_FORMATS,
  type RequestableFormat,
  type Rgb,
} from '../core/image.ts'
import { MAX_SHOWN_ITEMS } from '../core/shown-text.ts'
import { cssPx, type Density } from '../core/units.ts'
import {
  EDGES,
  type Method,
  type OptionLimits,
  type Options,
  PRESETS,
  type Preset,
  type Resize,
  WHITE,
} from './options.ts'
import { defaultTimeout, printMethod, printSides } from './print.ts'
import type { Claim } from './row.ts'

type ClaimOf<Kind extends Claim['kind']> = Extract<Claim, { kind: Kind }>
type Size = ClaimOf<'size'>

/** A claim with its canonical word, which identifies it. */
export interface Word {
  readonly claim: Claim
  readonly word: string
}
interface TypedWord<Kind extends Claim['kind']> {
  readonly claim: ClaimOf<Kind>
  readonly word: string
}

/** Collects Warnings while the claims are settled. */
type Warn = (text: string) => void

const list = (words: readonly string[]): string => {
  const shown = words.slice(0, MAX_SHOWN_ITEMS)
  const rest = words.length - shown.length
  if (rest > 0) return `${shown.join(', ')} and ${rest} more`
  return shown.length < 2 ? shown.join('') : `${shown.slice(0, -1).join(', ')} and ${shown.at(-1)}`
}

const ofKind = <Kind extends Claim['kind']>(words: readonly Word[], kind: Kind): readonly TypedWord<Kind>[] =>
  words.filter((word): word is Word & TypedWord<Kind> => word.claim.kind === kind)

/** Compares by several ranks in turn. The smaller rank comes first. */
const byRanks =
  <Item>(...ranks: readonly ((item: Item) => number)[]) =>
  (one: Item, other: Item): number => {
    for (const rank of ranks) {
      const difference = rank(one) - rank(other)
      if (difference !== 0) return difference
    }
    return 0
  }

/** The first claim by rank (§2.1). Its position does not matter. A Warning lists the others. */
const settleBy = <Kind extends Claim['kind']>(
  words: readonly TypedWord<Kind>[],
  warn: Warn,
  ...ranks: readonly ((claim: ClaimOf<Kind>) => number)[]
): ClaimOf<Kind> | undefined => {
  const ranked = words.toSorted((one, other) => byRanks(...ranks)(one.claim, other.claim))
  const [winner] = ranked
  if (winner !== undefined && ranked.length > 1)
    warn(`${list(ranked.map(({ word }) => word))} contradict each other: ${winner.word} was used.`)
  return winner?.claim
}

/** The area of a size. A missing side counts as the given one. */
const area = ({ width, height }: Size): number => (width ?? height ?? 0) * (height ?? width ?? 0)

/** Joins a width and a height into one size. Both are limits, so they do not contradict each other. */
const joinSides = (sizes: readonly TypedWord<'size'>[], warn: Warn): readonly TypedWord<'size'>[] => {
  const widths = sizes.filter(({ claim }) => claim.height === undefined)
  const heights = sizes.filter(({ claim }) => claim.width === undefined)
  if (widths.length === 0 || heights.length === 0) return sizes
  const width = settleBy(widths, warn, ({ width = 0 }) => -width)?.width
  const height = settleBy(heights, warn, ({ height = 0 }) => -height)?.height
  const claim: Size = { kind: 'size', ...(width && { width }), ...(height && { height }) }
  const word = printSides(claim)
  warn(`${width} and x${height} were read together as ${word}.`)
  const pairs = sizes.filter(({ claim }) => claim.width !== undefined && claim.height !== undefined)
  return pairs.some((pair) => pair.word === word) ? pairs : [...pairs, { claim, word }]
}

const settleSize = (words: readonly Word[], warn: Warn): Size | undefined =>
  settleBy(
    joinSides(ofKind(words, 'size'), warn),
    warn,
    (size) => -area(size),
    ({ width = 0 }) => -width,
    ({ height = 0 }) => -height,
  )

const METHOD_RANKS: readonly ((method: Method) => boolean)[] = [
  (method) => method.kind === 'crop' && method.focus.kind === 'point',
  (method) => method.kind === 'crop' && method.focus.kind === 'edge',
  (method) => method.kind === 'crop' && method.focus.kind === 'auto',
  (method) => method.kind === 'crop',
  (method) => method.kind === 'pad',
  (method) => method.kind === 'fit',
  (method) => method.kind === 'scale-down',
]

const methodRank = ({ method }: ClaimOf<'method'>): number => METHOD_RANKS.findIndex((is) => is(method))

/** Prefers the upper of two points, then the left one, and of two edges the first in the contract's table. */
const focusRank = ({ method }: ClaimOf<'method'>): number => {
  if (method.kind !== 'crop') return 0
  if (method.focus.kind === 'edge') return EDGES.indexOf(method.focus.edge)
  return method.focus.kind === 'point' ? method.focus.at.y * 1e6 + method.focus.at.x : 0
}

/** Joins `cropX=` and `cropY=` into one focal point. */
const joinCoordinates = (words: readonly Word[], warn: Warn): readonly TypedWord<'method'>[] => {
  const methods = ofKind(words, 'method')
  const coordinates = ofKind(words, 'coordinate')
  if (coordinates.length === 0) return methods
  const at = (axis: 'x' | 'y'): number => {
    const ofAxis = coordinates.filter(({ claim }) => claim.axis === axis)
    return settleBy(ofAxis, warn, (claim) => claim.at)?.at ?? 0.5
  }
  const method: Method = { kind: 'crop', focus: { kind: 'point', at: { x: at('x'), y: at('y') } } }
  const word = printMethod(method)
  warn(`The focal point was read as ${word}.`)
  return methods.some((other) => other.word === word)
    ? methods
    : [...methods, { claim: { kind: 'method', method }, word }]
}

const SCALE_DOWN: Method = { kind: 'scale-down' }

const settleMethod = (words: readonly Word[], size: Size, warn: Warn): Method => {
  const method = settleBy(joinCoordinates(words, warn), warn, methodRank, focusRank)?.method ?? SCALE_DOWN
  const needsBoth = method.kind === 'crop' || method.kind === 'pad'
  if (!needsBoth || (size.width !== undefined && size.height !== undefined)) return method
  warn(`${printMethod(method)} was read as scale-down: it needs width and height, as in 300x200.`)
  return SCALE_DOWN
}

const settleDensity = (words: readonly Word[], warn: Warn): Density =>
  settleBy(ofKind(words, 'density'), warn, ({ density }) => -density)?.density ?? 1

const NEEDS_SIZE: ReadonlySet<Claim['kind']> = new Set(['density', 'method', 'coordinate'])

const settleFull = (words: readonly Word[], warn: Warn): Resize => {
  if (ofKind(words, 'full').length === 0) warn('There is no size and no full: read as full, no resizing.')
  const idle = words.filter(({ claim }) => NEEDS_SIZE.has(claim.kind)).map(({ word }) => word)
  if (idle.length > 0) warn(`${list(idle.sort())} had no effect without a size, as in 300x200.`)
  return { kind: 'full' }
}

const settleResize = (words: readonly Word[], warn: Warn): Resize => {
  const size = settleSize(words, warn)
  if (size === undefined) return settleFull(words, warn)
  if (ofKind(words, 'full').length > 0) warn(`full was ignored: ${printSides(size)} asks for a size.`)
  return {
    kind: 'box',
    ...(size.width !== undefined && { width: cssPx(size.width) }),
    ...(size.height !== undefined && { height: cssPx(size.height) }),
    density: settleDensity(words, warn),
    method: settleMethod(words, size, warn),
  }
}

const brightness = (colour: Rgb | 'transparent'): number =>
  colour === 'transparent' ? -1 : (colour.r << 16) | (colour.g << 8) | colour.b

/** Prefers the colour nearer to the default, white: the larger number. Transparency comes last. */
const settleBackground = (words: readonly Word[], warn: Warn): Rgb | 'transparent' =>
  settleBy(ofKind(words, 'background'), warn, ({ colour }) => -brightness(colour))?.colour ?? WHITE

/** `format=auto` is the default, so it contradicts no format. */
const settleFormat = (words: readonly Word[], warn: Warn): RequestableFormat | 'auto' => {
  const forced = ofKind(words, 'format').filter(({ claim }) => claim.format !== 'auto')
  const rank = ({ format }: ClaimOf<'format'>): number => REQUESTABLE_FORMATS.indexOf(format as RequestableFormat)
  return settleBy(forced, warn, rank)?.format ?? 'auto'
}

/** Prefers the wider gamut. */
const settleGamut = (words: readonly Word[], warn: Warn): Gamut =>
  settleBy(ofKind(words, 'gamut'), warn, ({ gamut }) => -GAMUTS.indexOf(gamut))?.gamut ?? 'srgb'

/** Prefers the value that keeps more. */
const settleMeta = (words: readonly Word[], warn: Warn): Metadata | undefined =>
  settleBy(ofKind(words, 'meta'), warn, ({ meta }) => -METADATA.indexOf(meta))?.meta

/** Prefers the smaller budget. */
const settleMaxBytes = (words: readonly Word[], warn: Warn): Pick<Options, 'maxBytes'> => {
  const budget = settleBy(ofKind(words, 'max-bytes'), warn, ({ bytes }) => bytes)
  return budget === undefined ? {} : { maxBytes: budget.bytes }
}

/** Formats with which `lossless` is honoured: any image fits into them, or a lossless format replaces them. */
const LOSSLESS_FORMATS: ReadonlySet<string> = new Set(['png', 'auto', 'jxl', 'webp'])

const settleQuality = (
  words: readonly Word[],
  { resize, format }: Pick<Options, 'resize' | 'format'>,
  warn: Warn,
): Preset => {
  const rank = ({ preset }: ClaimOf<'quality'>): number => -PRESETS.indexOf(preset)
  const preset = settleBy(ofKind(words, 'quality'), warn, rank)?.preset ?? 'medium'
  const obstacle = resize.kind === 'box' ? 'resizing' : LOSSLESS_FORMATS.has(format) ? undefined : `format=${format}`
  if (preset !== 'lossless' || obstacle === undefined) return preset
  warn(`quality=lossless was read as quality=high: ${obstacle} does not keep every pixel.`)
  return 'high'
}

const distinct = (words: readonly Word[]): readonly Word[] => [
  ...new Map(words.map((word) => [word.word, word])).values(),
]

const warnOfRepeats = (words: readonly Word[], warn: Warn): void => {
  const seen = new Set<string>()
  const repeated = new Set(words.map(({ word }) => word).filter((word) => seen.size === seen.add(word).size))
  if (repeated.size > 0) warn(`Given more than once: ${list([...repeated].sort())}.`)
}

/** Settles a list by rank, never by position (§2.1). The Warnings have no particular order. */
export const settleOptions = (
  words: readonly Word[],
  limits: OptionLimits,
): { readonly options: Options; readonly warnings: readonly string[] } => {
  const warnings: string[] = []
  const warn: Warn = (text) => warnings.push(text)
  warnOfRepeats(words, warn)
  const asked = distinct(words)
  const resize = settleResize(asked, warn)
  const format = settleFormat(asked, warn)
  const timeout = settleBy(ofKind(asked, 'timeout'), warn, ({ seconds }) => -seconds)?.seconds
  const options: Options = {
    resize: Object.freeze(resize),
    trim: ofKind(asked, 'trim').length > 0,
    background: settleBackground(asked, warn),
    quality: settleQuality(asked, { resize, format }, warn),
    format,
    gamut: settleGamut(asked, warn),
    meta: settleMeta(asked, warn) ?? limits.defaultMeta ?? 'none',
    ...settleMaxBytes(asked, warn),
    timeout: timeout ?? defaultTimeout(limits),
  }
  return { options: Object.freeze(options), warnings }
}
