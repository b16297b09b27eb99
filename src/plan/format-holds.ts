import type { Extent, OutputFormat, StillFormat } from '../core/image.ts'
import { MAX_INT32 } from '../core/units.ts'
import type { Limits } from './plan.ts'

/** Limits of a still format. */
interface FormatLimits {
  /** Whether the format has transparency. */
  readonly alpha: boolean
  /** Maximum px of a side, of the format or of its encoder. */
  readonly maxSide: number
}

/** Limits by format: libjpeg's, PNG's 31 bits, GIF's 16, WebP's 14, and libheif's. JPEG XL is made from a JPEG. */
const HOLDS: Readonly<Record<StillFormat, FormatLimits>> = {
  png: { alpha: true, maxSide: MAX_INT32 },
  jpeg: { alpha: false, maxSide: 65_500 },
  gif: { alpha: true, maxSide: 65_535 },
  webp: { alpha: true, maxSide: 16_383 },
  avif: { alpha: true, maxSide: 16_384 },
  jxl: { alpha: false, maxSide: 65_500 },
}

const holdsOf = (format: OutputFormat): FormatLimits | undefined =>
  format in HOLDS ? HOLDS[format as StillFormat] : undefined

const maxSideOf = (format: OutputFormat): number => holdsOf(format)?.maxSide ?? Number.POSITIVE_INFINITY

/** Whether a format has transparency. SVG has it, video does not. */
export const holdsAlpha = (format: OutputFormat): boolean => holdsOf(format)?.alpha ?? format === 'svg'

/** The formats that can hold a result of this size, in the same order. All of them when none can: the result is then made smaller. */
export const formatsThatHold = (
  formats: readonly OutputFormat[],
  { width, height }: Extent,
): readonly OutputFormat[] => {
  const holding = formats.filter((format) => maxSideOf(format) >= Math.max(width, height))
  return holding.length === 0 ? formats : holding
}

/** Limits of a result that may have any of these formats. */
export const limitsOfFormats = (limits: Limits, formats: readonly OutputFormat[]): Limits => ({
  ...limits,
  maxSide: Math.min(limits.maxSide, ...formats.map(maxSideOf)),
})
