import { fail } from '../core/failure.ts'
import { type OutputFormat, type SourceFacts, uprightExtent } from '../core/image.ts'
import type { Options } from '../options/options.ts'
import { chooseFormats, type FormatChoice, type FormatQuestion, keepsGainMap } from './choose-formats.ts'
import { formatsThatHold, holdsAlpha, limitsOfFormats } from './format-holds.ts'
import { settleGamut } from './gamut.ts'
import { solveGeometry } from './geometry.ts'
import { checkSource } from './limits.ts'
import type { Limits, Plan, Target } from './plan.ts'
import { sourceScore } from './source-score.ts'
import { type LossyPreset, requiredAgainstLossy, targetScore } from './targets.ts'

/** What a plan depends on besides the options and the source. */
export interface PlanContext {
  readonly limits: Limits
  /** The Accept header names image/webp, or image/avif (§4.2); a wildcard does not count. */
  readonly acceptWebp: boolean
  readonly acceptAvif: boolean
  readonly canEncodeAnimatedAvif: boolean
}

/** Decides everything that can be decided before a pixel is decoded. Throws 413 of §6 and 400 for a video of a still image. */
export const makePlan = (options: Options, facts: SourceFacts, context: PlanContext): Plan => {
  const refusal = checkSource(facts, context.limits)
  if (refusal !== undefined) throw refusal
  if (isVideo(options.format) && !moves(facts)) throw fail('VIDEO_OF_STILL', options.format)
  const choice = chooseFitting({ options, facts, moves: moves(facts), ...context }, context.limits)
  const quality = settleQuality(options, facts, choice.formats)
  const whole = options.resize.kind === 'full' && !trims(options, choice)
  const kept = whole && options.format === 'auto'
  const { warnings: ofGamut, ...gamut } = settleGamut(options, facts, choice)
  return {
    trim: trims(options, choice),
    resize: options.resize,
    background: hasTransparency(choice.formats) ? options.background : opaque(options.background),
    target: quality.target,
    formats: choice.formats,
    animated: choice.animated,
    neverLarger: kept && NEVER_LARGER.has(facts.format),
    mayGrow: kept && !NEVER_LARGER.has(facts.format),
    ...(keepsGainMap(options, facts) ? { keepGainMap: true } : {}),
    ...gamut,
    limits: limitsOfFormats(context.limits, choice.formats),
    warnings: [...choice.warnings, ...quality.warnings, ...backgroundWarnings(options, choice.formats), ...ofGamut],
  }
}

/** The formats of the contract, without those that cannot hold a result of this size where others can. */
const chooseFitting = (question: FormatQuestion, limits: Limits): FormatChoice => {
  const { options, facts } = question
  const choice = chooseFormats(question)
  const source = uprightExtent(facts, facts.orientation)
  const vector = facts.format === 'svg'
  const { output } = solveGeometry({ resize: options.resize, source, limits, vector })
  return { ...choice, formats: formatsThatHold(choice.formats, output) }
}

/** Sources that a result may never exceed (§3.4); the others become what §4.2 allows and may grow. */
const NEVER_LARGER: ReadonlySet<string> = new Set(['jpeg', 'png', 'gif', 'svg'])

/** Formats whose further frames follow in time; those of TIFF are pages, and of AVIF only the first is read. */
const MOVING: ReadonlySet<string> = new Set(['gif', 'webp', 'png'])

const moves = (facts: SourceFacts): boolean => facts.frames > 1 && MOVING.has(facts.format)

const isVideo = (format: string): format is 'webm' | 'h264' => format === 'webm' || format === 'h264'

const trims = (options: Options, choice: FormatChoice): boolean => options.trim && !choice.formats.includes('svg')

const hasTransparency = (formats: readonly OutputFormat[]): boolean => formats.some(holdsAlpha)

const WHITE = { r: 255, g: 255, b: 255 } as const

const opaque = (background: Options['background']) => (background === 'transparent' ? WHITE : background)

const backgroundWarnings = ({ background }: Options, formats: readonly OutputFormat[]): readonly string[] =>
  background === 'transparent' && !hasTransparency(formats)
    ? [`bgcolor=transparent is not possible in ${formats.join(' or ')}; FFF is used.`]
    : []

interface Quality {
  readonly target: Target
  readonly warnings: readonly string[]
}

const settleQuality = (options: Options, facts: SourceFacts, formats: readonly OutputFormat[]): Quality => {
  if (options.quality !== 'lossless') return { target: scoreTarget(options, facts, options.quality), warnings: [] }
  const obstacle = losslessObstacle(options, facts, formats)
  if (obstacle === undefined) return { target: { kind: 'lossless' }, warnings: [] }
  return { target: scoreTarget(options, facts, 'high'), warnings: [`quality=lossless is read as high: ${obstacle}.`] }
}

/** What stands against §3.3, or nothing. Formats that can hold few colours are decided on when the pixels are known. */
const losslessObstacle = (
  options: Options,
  facts: SourceFacts,
  formats: readonly OutputFormat[],
): string | undefined => {
  if (options.resize.kind !== 'full') return 'the image is resized'
  if (formats.some(isVideo)) return 'video is always lossy'
  if (!formats.includes('jpeg')) return undefined
  if (facts.format !== 'jpeg') return 'a new JPEG is always lossy'
  return options.trim ? 'a trimmed JPEG is encoded anew' : undefined
}

const scoreTarget = (options: Options, facts: SourceFacts, preset: LossyPreset): Target => {
  const density = options.resize.kind === 'box' ? options.resize.density : 1
  const score =
    facts.jpeg === undefined
      ? targetScore(preset, density)
      : requiredAgainstLossy(preset, density, sourceScore(facts.jpeg.quality, reduction(options, facts)))
  return { kind: 'score', score, preset }
}

/** Output px per source px, as far as it is known before trimming; enlarging shows the first loss no better than 1:1. */
const reduction = (options: Options, facts: SourceFacts): number => {
  const source = uprightExtent(facts, facts.orientation)
  const unlimited = { maxSide: Infinity, maxPixels: Infinity }
  const { extract, scaleTo } = solveGeometry({ resize: options.resize, source, limits: unlimited })
  return Math.min(1, scaleTo.width / (extract ?? source).width)
}
