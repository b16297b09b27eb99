import type { Gamut, Metadata } from '../core/image.ts'
import { unreachable } from '../core/unreachable.ts'
import type { Method, OptionLimits, Options, Preset } from './options.ts'
import { checkItems, explainWrong, type OptionsRead, readSegment, warningOn } from './parse.ts'
import { printColour, printHex } from './print.ts'
import type { ItemRead } from './read-item.ts'
import type { Claim } from './row.ts'

/** One line of a description: a subject, and what will be done. */
export interface DescriptionLine {
  readonly name: string
  readonly value: string
}

/** The meaning of one item in plain words. `warning` is its Warning or its error text. */
export interface ItemDescription {
  readonly kind: 'right' | 'slightly wrong' | 'wrong' | 'empty'
  /** The item as sent, printable ASCII, at most 40 characters. */
  readonly item: string
  readonly meaning: string
  readonly warning?: string
  /** The colour in the item, six hex digits. */
  readonly colour?: string
}

const percent = (fraction: number): string => `${Math.round(fraction * 1e4) / 100} %`

const sayMethod = (method: Method): string => {
  switch (method.kind) {
    case 'scale-down':
      return 'scaled down to fit inside, never enlarged'
    case 'fit':
      return 'scaled to fit inside, enlarged if need be'
    case 'pad':
      return 'scaled to fit inside, then padded to exactly this size'
    case 'crop':
      return `scaled and cropped to exactly this size, ${sayFocus(method.focus)}`
    default:
      return unreachable(method)
  }
}

const sayFocus = (focus: Extract<Method, { kind: 'crop' }>['focus']): string => {
  switch (focus.kind) {
    case 'centre':
      return 'towards the centre'
    case 'auto':
      return 'towards the most important area, found automatically'
    case 'edge':
      return `keeping the ${focus.edge} edge`
    case 'point':
      return `towards the point ${percent(focus.at.x)} from the left and ${percent(focus.at.y)} from the top`
    default:
      return unreachable(focus)
  }
}

interface Sides {
  readonly width?: number
  readonly height?: number
}

/** `isExact`: the result has exactly this size, as for a crop or a padded image. */
const saySides = ({ width, height }: Sides, unit: string, isExact = false): string => {
  if (isExact && width !== undefined && height !== undefined) return `${width} x ${height} ${unit}`
  if (width === undefined) return `at most ${height} ${unit} high`
  return height === undefined ? `at most ${width} ${unit} wide` : `at most ${width} x ${height} ${unit}`
}

const QUALITY_MEANS: Readonly<Record<Preset, string>> = {
  low: 'low: the smallest file, with noticeable artefacts',
  medium: 'medium: balances size and quality',
  high: 'high: avoids visible artefacts',
  lossless: 'lossless: no pixel changes',
}

const GAMUT_MEANS: Readonly<Record<Gamut, string>> = {
  srgb: 'colours of sRGB',
  p3: 'colours of Display P3 where the source has wider ones than sRGB',
}

const META_MEANS: Readonly<Record<Metadata, string>> = {
  none: 'no metadata',
  copyright: 'the names of creator and rights holder, and where a licence is available',
}

const sayClaim = (claim: Claim): string => {
  switch (claim.kind) {
    case 'full':
      return 'no resizing'
    case 'size':
      // The method decides whether this is a limit or the exact size.
      return saySides(claim, 'CSS px', true)
    case 'density':
      return claim.density === 1 ? 'one device pixel for each CSS px' : `${claim.density} device pixels for each CSS px`
    case 'method':
      return sayMethod(claim.method)
    case 'coordinate':
      return `focal point ${percent(claim.at)} from the ${claim.axis === 'x' ? 'left' : 'top'}`
    case 'trim':
      return 'a border of solid colour is removed first'
    case 'background':
      return `background colour ${printColour(claim.colour)}`
    case 'quality':
      return `quality ${QUALITY_MEANS[claim.preset]}`
    case 'format':
      return claim.format === 'auto' ? 'the best format, chosen automatically' : `as ${claim.format}`
    case 'gamut':
      return GAMUT_MEANS[claim.gamut]
    case 'meta':
      return META_MEANS[claim.meta]
    case 'max-bytes':
      return `at most ${claim.bytes} bytes`
    case 'timeout':
      return `at most ${claim.seconds} s of work`
    default:
      return unreachable(claim)
  }
}

const colourOf = (claim: Claim): { readonly colour?: string } =>
  claim.kind === 'background' && claim.colour !== 'transparent' ? { colour: printHex(claim.colour) } : {}

const describeItem = (read: ItemRead): ItemDescription => {
  const item = read.item.shown
  if (read.kind === 'empty') return { kind: 'empty', item, meaning: 'left out' }
  if (read.kind === 'wrong') return { kind: 'wrong', item, meaning: 'not understood', warning: explainWrong(read) }
  const warning = warningOn(read)
  const meaning = sayClaim(read.claim)
  const description = { item, meaning, ...colourOf(read.claim) }
  return warning === undefined ? { kind: 'right', ...description } : { kind: 'slightly wrong', ...description, warning }
}

/** The reading of each item of a raw segment, and the outcome of the whole list. For the explain page (§1.8). */
export const describeSegment = (
  segment: string,
  limits: OptionLimits,
): { readonly items: readonly ItemDescription[]; readonly outcome: OptionsRead } => {
  const reads = readSegment(segment, limits)
  return { items: reads.map(describeItem), outcome: checkItems(reads, limits) }
}

const times = (side: number | undefined, density: number): number | undefined =>
  side === undefined ? undefined : side * density

const sayResize = ({ resize }: Options): readonly DescriptionLine[] => {
  if (resize.kind === 'full') return [{ name: 'Size', value: 'as the source: no resizing' }]
  const isExact = resize.method.kind === 'crop' || resize.method.kind === 'pad'
  const [width, height] = [times(resize.width, resize.density), times(resize.height, resize.density)]
  const device = { ...(width !== undefined && { width }), ...(height !== undefined && { height }) }
  const dense = resize.density === 1 ? '' : `, which is ${saySides(device, 'device px', isExact)} at ${resize.density}x`
  return [
    { name: 'Size', value: saySides(resize, 'CSS px', isExact) + dense },
    { name: 'Method', value: sayMethod(resize.method) },
  ]
}

/** The effect of options in plain words, defaults included. */
export const describeOptions = (options: Options): readonly DescriptionLine[] => [
  ...sayResize(options),
  { name: 'Trim', value: options.trim ? 'a border of solid colour is removed first' : 'no' },
  { name: 'Background', value: printColour(options.background) },
  { name: 'Quality', value: QUALITY_MEANS[options.quality] },
  { name: 'Format', value: options.format === 'auto' ? 'chosen automatically' : options.format },
  { name: 'Colours', value: GAMUT_MEANS[options.gamut] },
  { name: 'Metadata', value: META_MEANS[options.meta] },
  ...(options.maxBytes === undefined ? [] : [{ name: 'Bytes', value: `at most ${options.maxBytes}` }]),
  { name: 'Timeout', value: `${options.timeout} s` },
]
