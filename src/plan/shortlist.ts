import type { Extent, OutputFormat, StillFormat } from '../core/image.ts'
import type { Plan, Target } from './plan.ts'
import { targetScore } from './targets.ts'

/** Facts about the pixels of the result. */
export interface PixelFacts {
  readonly opaque: boolean
  /** Whether every pixel is fully opaque or fully transparent. */
  readonly binaryAlpha: boolean
  readonly grey: boolean
  /** Distinct RGBA colours. Fully transparent ones count as one; 257 means more than 256. */
  readonly colours: number
  /** Fraction of pixels that equal their left neighbour. */
  readonly flatness: number
  /** Fraction of pixels that three neighbours predict within one sample value, as in drawn gradients: a file without loss takes hardly a byte for them. */
  readonly planes: number
}

/** Still formats to encode, the most promising first, with their target. */
export interface Shortlist {
  readonly formats: readonly StillFormat[]
  /** Formats that a heuristic excluded. If the source's own file in one of them is the smallest result, the heuristic was wrong. */
  readonly unlikely: readonly StillFormat[]
  readonly target: Target
  readonly warnings: readonly string[]
}

/** Narrows a plan by the final pixels of an image. Leaves out what cannot be the result (§4.2). */
export const shortlist = (plan: Pick<Plan, 'formats' | 'target'>, facts: PixelFacts, size: Extent): Shortlist => {
  const allowed = plan.formats.filter(isStill)
  const target = possibleTarget(plan.target, allowed, facts)
  const formats = allowed.filter((format) => allowed.length === 1 || !cannotWin(format, target, facts, size))
  const unlikely = allowed.filter((format) => format === 'png' && !formats.includes(format))
  const warnings =
    target === plan.target
      ? []
      : ['quality=lossless is read as high: GIF holds 256 colours and no partial transparency.']
  // Flatness requires a pass over all pixels, and a single format needs no order.
  const ordered = formats.length < 2 || !isMostlyFlat(facts) ? formats : pngFirst(formats)
  return { formats: ordered, unlikely, target, warnings }
}

const STILL: ReadonlySet<OutputFormat> = new Set(['png', 'jpeg', 'gif', 'webp', 'avif', 'jxl'])
const isStill = (format: OutputFormat): format is StillFormat => STILL.has(format)

/**
 * Flatness below which JPEG is tried before PNG. Measured at score 70 on 96 corpus images: PNG was smaller on 33 of the 46 above it. It was
 * smaller on 11 of the 50 below it, most of them icons of less than 100 px.
 */
const MAX_PHOTO_FLATNESS = 0.75
/** Whether an image is a drawing by its share of flat pixels. */
export const isMostlyFlat = ({ flatness }: Pick<PixelFacts, 'flatness'>): boolean => flatness >= MAX_PHOTO_FLATNESS
/** Images that may be photographs. */
const NOISY = {
  /** PNG took 3 to 34 times the bytes of JPEG below this flatness, in 23 of these images with many colours and at least `minPixels`. */
  maxFlatness: 0.3,
  /** Pixels from which flatness counts: icons have too few for a share. */
  minPixels: 128 * 128,
} as const
/** Share of planes from which an image is a drawn gradient: 0.90 to 1 of seven, up to 0.79 of 90 photographs. */
const MIN_PLANES = 0.85

const cannotWin = (format: StillFormat, target: Target, facts: PixelFacts, size: Extent): boolean => {
  if (format === 'jpeg' || format === 'jxl') return !facts.opaque
  if (format === 'gif') return !fitsGif(facts)
  if (format !== 'png' || target.kind === 'lossless' || !facts.opaque) return false
  return isPhotograph(facts, size) && !isDrawnGradient(facts)
}

/** Whether neighbours predict at least `MIN_PLANES` of the pixels: a file without loss may be the smallest. */
export const isDrawnGradient = ({ planes }: Pick<PixelFacts, 'planes'>): boolean => planes >= MIN_PLANES

/** Colours beyond which an image may be a photograph: a grey one has 256 at most. */
const MAX_DRAWN_COLOURS = { coloured: 256, grey: 128 } as const

/** Whether pixels vary so strongly that a lossless encode takes far more bytes than a lossy one. */
export const isPhotograph = (
  { colours, flatness, grey }: Pick<PixelFacts, 'colours' | 'flatness' | 'grey'>,
  size: Extent,
): boolean =>
  colours > MAX_DRAWN_COLOURS[grey ? 'grey' : 'coloured'] &&
  flatness < NOISY.maxFlatness &&
  size.width * size.height >= NOISY.minPixels

const fitsGif = (facts: PixelFacts): boolean => facts.colours <= 256 && facts.binaryAlpha

const possibleTarget = (target: Target, formats: readonly StillFormat[], facts: PixelFacts): Target =>
  target.kind === 'lossless' && formats.length === 1 && formats[0] === 'gif' && !fitsGif(facts)
    ? { kind: 'score', score: targetScore('high', 1), preset: 'high' }
    : target

const pngFirst = (formats: readonly StillFormat[]): readonly StillFormat[] =>
  formats.includes('png') ? ['png', ...formats.filter((format) => format !== 'png')] : formats
