import type { Extent, OutputFormat, StillFormat } from '../core/image.ts'
import type { Limits } from './plan.ts'

/** What a still format can hold. */
interface Holds {
  /** Whether transparency survives. */
  readonly alpha: boolean
  /** px a side, of the format or of the encoder that writes it. */
  readonly maxSide: number
}

/** What each still format can hold: libjpeg's limit, the 31 bits of PNG, the 16 of GIF, the 14 of WebP, libheif's limit. */
const HOLDS: Readonly<Record<StillFormat, Holds>> = {
  png: { alpha: true, maxSide: 2 ** 31 - 1 },
  jpeg: { alpha: false, maxSide: 65_500 },
  gif: { alpha: true, maxSide: 65_535 },
  webp: { alpha: true, maxSide: 16_383 },
  avif: { alpha: true, maxSide: 16_384 },
}

const holdsOf = (format: OutputFormat): Holds | undefined =>
  format in HOLDS ? HOLDS[format as StillFormat] : undefined

const mostSide = (format: OutputFormat): number => holdsOf(format)?.maxSide ?? Number.POSITIVE_INFINITY

/** Whether a format keeps transparency; markup does, video does not. */
export const holdsAlpha = (format: OutputFormat): boolean => holdsOf(format)?.alpha ?? format === 'svg'

/** Those of `formats` that can hold a result of this size, in the same order; all of them when none can: it is then made smaller. */
export const formatsThatHold = (
  formats: readonly OutputFormat[],
  { width, height }: Extent,
): readonly OutputFormat[] => {
  const holding = formats.filter((format) => mostSide(format) >= Math.max(width, height))
  return holding.length === 0 ? formats : holding
}

/** The limits of a result that may become any of `formats`. */
export const limitsOfFormats = (limits: Limits, formats: readonly OutputFormat[]): Limits => ({
  ...limits,
  maxSide: Math.min(limits.maxSide, ...formats.map(mostSide)),
})
