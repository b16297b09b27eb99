import type { Extent, OutputFormat, StillFormat } from '../core/image.ts'
import type { Plan, Target } from './plan.ts'
import { targetScore } from './targets.ts'

/** What the pixels of the result tell. */
export interface PixelFacts {
  readonly opaque: boolean
  /** Every pixel is fully opaque or fully transparent. */
  readonly binaryAlpha: boolean
  readonly grey: boolean
  /** Distinct RGBA colours, all fully transparent ones counted as one; 257 stands for more than 256. */
  readonly colours: number
  /** Share of pixels, 0..1, that equal their left neighbour. */
  readonly flatness: number
}

/** The still formats worth encoding, in order of promise, and what they must reach now that the pixels are known. */
export interface Shortlist {
  readonly formats: readonly StillFormat[]
  readonly target: Target
  readonly warnings: readonly string[]
}

/** Narrows a plan for one image by its final pixels: only what certainly cannot be the result is left out, never by a guess (§4.2). */
export const shortlist = (plan: Pick<Plan, 'formats' | 'target'>, facts: PixelFacts, size: Extent): Shortlist => {
  const allowed = plan.formats.filter(isStill)
  const target = possibleTarget(plan.target, allowed, facts)
  const formats = allowed.filter((format) => allowed.length === 1 || !isHopeless(format, target, facts, size))
  const warnings =
    target === plan.target
      ? []
      : ['quality=lossless is read as high: GIF holds 256 colours and no partial transparency.']
  // Flatness takes a look at all pixels, and one format is in order whatever it is.
  return { formats: formats.length < 2 || facts.flatness < PHOTO_LIKE ? formats : pngFirst(formats), target, warnings }
}

const STILL: ReadonlySet<OutputFormat> = new Set(['png', 'jpeg', 'gif', 'webp', 'avif'])
const isStill = (format: OutputFormat): format is StillFormat => STILL.has(format)

/**
 * Below this flatness JPEG is the better bet. Measured at score 70 on 96 corpus images: from 0.75 up PNG was smaller on
 * 33 of 46, below on 11 of 50, most of these icons of less than 100 px.
 */
const PHOTO_LIKE = 0.75
/** Below this flatness, in an image of many colours and some size, PNG took 3 to 34 times the bytes of JPEG (23 of the same images). */
const NOISY = 0.3
const SOME_SIZE = 128 * 128

const isHopeless = (format: StillFormat, target: Target, facts: PixelFacts, size: Extent): boolean => {
  if (format === 'jpeg') return !facts.opaque
  if (format === 'gif') return !fitsGif(facts)
  if (format !== 'png' || target.kind === 'lossless' || !facts.opaque) return false
  return facts.colours > 256 && facts.flatness < NOISY && size.width * size.height >= SOME_SIZE
}

const fitsGif = (facts: PixelFacts): boolean => facts.colours <= 256 && facts.binaryAlpha

const possibleTarget = (target: Target, formats: readonly StillFormat[], facts: PixelFacts): Target =>
  target.kind === 'lossless' && formats.length === 1 && formats[0] === 'gif' && !fitsGif(facts)
    ? { kind: 'score', score: targetScore('high', 1), preset: 'high' }
    : target

const pngFirst = (formats: readonly StillFormat[]): readonly StillFormat[] =>
  formats.includes('png') ? ['png', ...formats.filter((format) => format !== 'png')] : formats
