import type { Gamut } from '../core/image.ts'
import { unreachable } from '../core/unreachable.ts'
import type { Method, OptionLimits, Options, Preset } from './options.ts'
import { checkItems, explainWrong, type OptionsRead, readSegment, warningOn } from './parse.ts'
import { printColour, printHex } from './print.ts'
import type { ItemRead } from './read-item.ts'
import type { Claim } from './row.ts'

/** One line of a reading: what it is about, and what will be done. */
export interface DescriptionLine {
  readonly name: string
  readonly value: string
}

/** How one item was understood, in plain words; `warning` is the Warning or the error text about it. */
export interface ItemDescription {
  readonly kind: 'right' | 'slightly wrong' | 'wrong' | 'empty'
  /** As it was sent, printable ASCII, at most 40 characters. */
  readonly item: string
  readonly meaning: string
  readonly warning?: string
  /** The colour that the item names, six hex digits. */
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

const saySides = ({ width, height }: Sides, unit: string): string => {
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

const sayClaim = (claim: Claim): string => {
  switch (claim.kind) {
    case 'full':
      return 'no resizing'
    case 'size':
      return saySides(claim, 'CSS px')
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
  const said = { item, meaning, ...colourOf(read.claim) }
  return warning === undefined ? { kind: 'right', ...said } : { kind: 'slightly wrong', ...said, warning }
}

/** How each item of a raw segment was read, and what the list as a whole comes to; for the explain page (§1.8). */
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
  const [width, height] = [times(resize.width, resize.density), times(resize.height, resize.density)]
  const device = { ...(width !== undefined && { width }), ...(height !== undefined && { height }) }
  const dense = resize.density === 1 ? '' : `, which is ${saySides(device, 'device px')} at ${resize.density}x`
  return [
    { name: 'Size', value: saySides(resize, 'CSS px') + dense },
    { name: 'Method', value: sayMethod(resize.method) },
  ]
}

/** What will be done, in plain words, defaults included. */
export const describeOptions = (options: Options): readonly DescriptionLine[] => [
  ...sayResize(options),
  { name: 'Trim', value: options.trim ? 'a border of solid colour is removed first' : 'no' },
  { name: 'Background', value: printColour(options.background) },
  { name: 'Quality', value: QUALITY_MEANS[options.quality] },
  { name: 'Format', value: options.format === 'auto' ? 'chosen automatically' : options.format },
  { name: 'Colours', value: GAMUT_MEANS[options.gamut] },
  { name: 'Timeout', value: `${options.timeout} s` },
]
