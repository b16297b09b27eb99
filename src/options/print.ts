import type { Point, Rgb } from '../core/image.ts'
import { unreachable } from '../core/unreachable.ts'
import { DEFAULT_TIMEOUT, type Method, type OptionLimits, type Options, type Resize } from './options.ts'
import type { Claim } from './row.ts'
import { printBytes } from './rows/max-bytes.ts'

type Focus = Extract<Method, { kind: 'crop' }>['focus']
interface Sides {
  readonly width?: number
  readonly height?: number
}

/** Six hex digits, as in `FF0080`. */
export const printHex = ({ r, g, b }: Rgb): string =>
  [r, g, b].map((channel) => channel.toString(16).padStart(2, '0').toUpperCase()).join('')

/** `FFF` or `FF0080`, or `transparent`. */
export const printColour = (colour: Rgb | 'transparent'): string => {
  if (colour === 'transparent') return colour
  const long = printHex(colour)
  return /^(.)\1(.)\2(.)\3$/.test(long) ? `${long[0]}${long[2]}${long[4]}` : long
}

/** A fraction without an exponent, rounded to 1/10000. */
const fraction = (value: number): string => `${Math.round(value * 1e4) / 1e4}`

/** `0.42x0.31`: a focal point in the form of `crop=`, rounded to 1/1000. */
export const printPoint = ({ x, y }: Point): string => `${Math.round(x * 1000) / 1000}x${Math.round(y * 1000) / 1000}`

const printFocus = (focus: Focus): string => {
  switch (focus.kind) {
    case 'centre':
      return 'crop'
    case 'auto':
      return 'crop=auto'
    case 'edge':
      return `crop=${focus.edge}`
    case 'point':
      return `crop=${fraction(focus.at.x)}x${fraction(focus.at.y)}`
    default:
      return unreachable(focus)
  }
}

/** The item for a method. */
export const printMethod = (method: Method): string => (method.kind === 'crop' ? printFocus(method.focus) : method.kind)

/** `300x200`, `300` or `x200`. */
export const printSides = ({ width, height }: Sides): string =>
  `${width ?? ''}${height === undefined ? '' : `x${height}`}`

/** The item for a claim, in its canonical form. */
export const printClaim = (claim: Claim): string => {
  switch (claim.kind) {
    case 'full':
      return 'full'
    case 'size':
      return printSides(claim)
    case 'density':
      return `${claim.density}x`
    case 'method':
      return printMethod(claim.method)
    case 'coordinate':
      return claim.axis === 'x' ? `crop=${fraction(claim.at)}x<y>` : `crop=<x>x${fraction(claim.at)}`
    case 'trim':
      return 'trim=border'
    case 'background':
      return `bgcolor=${printColour(claim.colour)}`
    case 'quality':
      return `quality=${claim.preset}`
    case 'format':
      return claim.format === 'auto' ? 'no format' : `format=${claim.format}`
    case 'gamut':
      return `gamut=${claim.gamut}`
    case 'meta':
      return `meta=${claim.meta}`
    case 'max-bytes':
      return `max-bytes=${printBytes(claim.bytes)}`
    case 'timeout':
      return `timeout=${claim.seconds}`
    default:
      return unreachable(claim)
  }
}

const printResize = (resize: Resize): readonly (string | false)[] =>
  resize.kind === 'full'
    ? ['full']
    : [
        printSides(resize),
        resize.density !== 1 && `${resize.density}x`,
        resize.method.kind !== 'scale-down' && printMethod(resize.method),
      ]

/** Seconds of a request without a timeout option. */
export const defaultTimeout = (limits: OptionLimits): number =>
  Math.min(limits.defaultTimeout ?? DEFAULT_TIMEOUT, limits.maxTimeout)

/**
 * The canonical list: without defaults, always in the same order. Under the same limits it parses back to the same options. It gives no
 * Warning, except for a height without a width, which the contract cannot write otherwise (§2.2).
 */
export const printOptions = (options: Options, limits: OptionLimits = { maxTimeout: DEFAULT_TIMEOUT }): string =>
  [
    ...printResize(options.resize),
    options.trim && 'trim=border',
    printColour(options.background) !== 'FFF' && `bgcolor=${printColour(options.background)}`,
    options.quality !== 'medium' && `quality=${options.quality}`,
    options.format !== 'auto' && `format=${options.format}`,
    options.gamut !== 'srgb' && `gamut=${options.gamut}`,
    options.meta !== (limits.defaultMeta ?? 'none') && `meta=${options.meta}`,
    options.maxBytes !== undefined && `max-bytes=${printBytes(options.maxBytes)}`,
    options.timeout !== defaultTimeout(limits) && `timeout=${options.timeout}`,
  ]
    .filter((word) => word !== false)
    .join(',')
