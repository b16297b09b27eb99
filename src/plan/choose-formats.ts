import type { OutputFormat, SourceFacts, SourceFormat, StillFormat } from '../core/image.ts'
import type { Options } from '../options/options.ts'

/** What the choice of formats depends on. */
export interface FormatQuestion {
  readonly options: Options
  readonly facts: SourceFacts
  /** The source is an animation. */
  readonly moves: boolean
  readonly acceptWebp: boolean
  readonly acceptAvif: boolean
  readonly canEncodeAnimatedAvif: boolean
}

/** Formats to choose from, in order of promise, and whether all frames are kept. */
export interface FormatChoice {
  readonly formats: readonly OutputFormat[]
  readonly animated: boolean
  readonly warnings: readonly string[]
}

/** Formats that the contract allows for this request (§4.2-§4.4), decided without pixels. */
export const chooseFormats = (question: FormatQuestion): FormatChoice => {
  const { options, facts, moves } = question
  if (facts.format === 'svg' && options.resize.kind === 'full' && options.format === 'auto') return markup(options)
  if (moves) return options.format === 'auto' ? automaticMotion(question) : forcedMotion(question, options.format)
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

/** Forced formats that keep every frame of an animation, when an encoder is there (§4.3). */
const ANIMATED: ReadonlySet<OutputFormat> = new Set(['gif', 'webp', 'avif', 'webm', 'h264'])

const forcedMotion = ({ facts, canEncodeAnimatedAvif }: FormatQuestion, format: OutputFormat): FormatChoice => {
  // What came as APNG stays one.
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

/** GIF stays GIF and APNG stays APNG; WebP only where it is accepted, animated AVIF never through Accept (§4.2, §4.3). */
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

/** Whether the source's gain map goes behind the result: of a JPEG that stays one, at its own size. */
export const keepsGainMap = ({ format, resize, trim }: Options, facts: SourceFacts): boolean =>
  facts.format === 'jpeg' &&
  facts.gainMap === true &&
  facts.gainMapBound !== true &&
  resize.kind === 'full' &&
  !trim &&
  (format === 'auto' || format === 'jpeg')

const automaticStill = ({ options, facts, acceptWebp, acceptAvif }: FormatQuestion): readonly StillFormat[] => {
  // In JPEG alone it can be kept.
  if (keepsGainMap(options, facts)) return ['jpeg']
  const lossless = options.quality === 'lossless' && options.resize.kind === 'full'
  // The same coefficients are the only lossless form of a JPEG that is not larger (§3.3).
  if (lossless && facts.format === 'jpeg' && !options.trim) return ['jpeg']
  const asked: readonly StillFormat[] = [
    ...(acceptAvif && !lossless ? (['avif'] as const) : []),
    ...(acceptWebp ? (['webp'] as const) : []),
  ]
  // A static GIF may stay what it is, only stored better.
  const own: readonly StillFormat[] = facts.format === 'gif' && options.resize.kind === 'full' ? ['gif'] : []
  const lossy: readonly StillFormat[] = lossless && facts.format !== 'jpeg' ? [] : ['jpeg']
  return [...asked, ...lossy, 'png', ...own]
}

/** Sources of several images of which the first alone is read. */
const PAGED: ReadonlySet<SourceFormat> = new Set(['tiff', 'avif', 'heic', 'jxl'])

const pageWarnings = ({ format, frames }: SourceFacts): readonly string[] =>
  frames > 1 && PAGED.has(format) ? [`The source has ${frames} images; only the first is used.`] : []
