import type { OutputFormat, SourceFacts, SourceFormat, StillFormat } from '../core/image.ts'
import type { Options } from '../options/options.ts'

/** Facts that decide which formats are allowed. */
export interface FormatQuestion {
  readonly options: Options
  readonly facts: SourceFacts
  /** Whether the source is an animation. */
  readonly moves: boolean
  readonly acceptWebp: boolean
  readonly acceptAvif: boolean
  readonly acceptJxl?: boolean
  readonly canEncodeAnimatedAvif: boolean
}

/** Allowed formats, the most promising first, and whether all frames are kept. */
export interface FormatChoice {
  readonly formats: readonly OutputFormat[]
  /** The requested format, if only some pixels allow it. */
  readonly preferred?: StillFormat
  readonly animated: boolean
  readonly warnings: readonly string[]
}

/** Whether the Accept header affects the choice of formats. With `format=jxl` it decides on the alternatives (§4.2). */
export const variesByAccept = ({ format }: Pick<Options, 'format'>): boolean => format === 'auto' || format === 'jxl'

/** The formats that the contract allows for a request (§4.2-§4.4). Does not need pixels. */
export const chooseFormats = (question: FormatQuestion): FormatChoice => {
  const { options, facts, moves } = question
  if (facts.format === 'svg' && options.resize.kind === 'full' && options.format === 'auto') return markup(options)
  if (moves) return options.format === 'auto' ? automaticMotion(question) : forcedMotion(question, options.format)
  if (options.format === 'jxl') return forcedJxl(question)
  const formats = options.format === 'auto' ? automaticStill(question) : [options.format]
  return { formats, animated: false, warnings: pageWarnings(facts) }
}

const markup = ({ trim }: Options): FormatChoice => ({
  formats: ['svg'],
  animated: false,
  warnings: trim
    ? ['trim=border is ignored for an SVG that stays markup; give a size or a raster format to trim it.']
    : [],
})

/** Requestable formats that keep every frame of an animation, if an encoder exists (§4.3). */
const ANIMATED: ReadonlySet<OutputFormat> = new Set(['gif', 'webp', 'avif', 'webm', 'h264'])

const forcedMotion = (question: FormatQuestion, format: OutputFormat): FormatChoice => {
  const { facts, canEncodeAnimatedAvif } = question
  if (format === 'jxl') {
    const choice = automaticMotion(question)
    return {
      ...choice,
      warnings: ['JPEG XL is not written of animations; this is the next best format.', ...choice.warnings],
    }
  }
  // An APNG stays an APNG.
  if (format === 'png' && facts.format === 'png') return { formats: ['png'], animated: true, warnings: [] }
  if (format === 'avif' && !canEncodeAnimatedAvif) {
    return {
      formats: ['avif'],
      animated: false,
      warnings: ['No encoder for animated AVIF is installed here: only the first frame is returned.'],
    }
  }
  return { formats: [format], animated: ANIMATED.has(format), warnings: [] }
}

/** GIF stays GIF and APNG stays APNG. WebP needs the Accept header; animated AVIF is never chosen automatically (§4.2, §4.3). */
const automaticMotion = ({ facts, acceptWebp }: FormatQuestion): FormatChoice => {
  const own = facts.format === 'png' ? 'png' : 'gif'
  const formats: readonly OutputFormat[] = acceptWebp ? ['webp', own] : [own]
  if (facts.format === own) return { formats, animated: true, warnings: [] }
  return acceptWebp
    ? { formats: ['webp'], animated: true, warnings: [] }
    : {
        formats,
        animated: true,
        warnings: [
          `The animated ${facts.format.toUpperCase()} source becomes GIF, which every browser shows; use format=webp for fewer bytes and all colours.`,
        ],
      }
}

/** Whether the result keeps the source's gain map: a JPEG without padding. Automatic choice gives it up for a client that accepts smaller formats in another size. */
export const keepsGainMap = ({ format, resize }: Options, facts: SourceFacts, accepts = false): boolean =>
  facts.format === 'jpeg' &&
  facts.gainMap === true &&
  facts.gainMapBound !== true &&
  !(resize.kind === 'box' && resize.method.kind === 'pad') &&
  (format === 'jpeg' || (format === 'auto' && (resize.kind === 'full' || !accepts)))

const automaticStill = (question: FormatQuestion): readonly StillFormat[] => {
  const { options, facts, acceptWebp, acceptAvif, acceptJxl = false } = question
  // Only JPEG can keep the gain map.
  if (keepsGainMap(options, facts, acceptWebp || acceptAvif)) return ['jpeg']
  const lossless = options.quality === 'lossless' && options.resize.kind === 'full'
  // Keeping the coefficients is the only lossless way that does not grow a JPEG (§3.3).
  if (lossless && facts.format === 'jpeg' && !options.trim) return acceptJxl ? ['jxl', 'jpeg'] : ['jpeg']
  const allowed: readonly StillFormat[] = [
    ...(acceptAvif && !lossless ? (['avif'] as const) : []),
    ...(acceptWebp ? (['webp'] as const) : []),
  ]
  // A static GIF may stay a GIF and be recompressed.
  const own: readonly StillFormat[] = facts.format === 'gif' && options.resize.kind === 'full' ? ['gif'] : []
  const lossy: readonly StillFormat[] = lossless && facts.format !== 'jpeg' ? [] : [acceptJxl ? 'jxl' : 'jpeg']
  return [...allowed, ...lossy, 'png', ...own]
}

/**
 * JPEG XL if the pixels allow it, otherwise the automatic choice. Lossless JPEG XL is made only from the coefficients of a JPEG.
 */
const forcedJxl = (question: FormatQuestion): FormatChoice => {
  const { options, facts } = question
  const instead = automaticStill({ ...question, acceptJxl: false })
  const formats: readonly StillFormat[] = ['jxl', ...instead]
  const warnings = pageWarnings(facts)
  const lossless = options.quality === 'lossless' && options.resize.kind === 'full'
  if (!lossless || (facts.format === 'jpeg' && !options.trim))
    return { formats, preferred: 'jxl', animated: false, warnings }
  const why = 'JPEG XL is written without loss of JPEG sources alone; this is the next best format.'
  return { formats: instead, animated: false, warnings: [...warnings, why] }
}

/** Source formats with several images. Only the first is read. */
const MULTI_IMAGE: ReadonlySet<SourceFormat> = new Set(['tiff', 'avif', 'heic', 'jxl'])

const pageWarnings = ({ format, frames }: SourceFacts): readonly string[] =>
  frames > 1 && MULTI_IMAGE.has(format) ? [`The source has ${frames} images; only the first is used.`] : []
