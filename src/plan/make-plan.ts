import type { Effort } from '../core/effort.ts'
import { fail } from '../core/failure.ts'
import { type OutputFormat, type SourceFacts, uprightExtent } from '../core/image.ts'
import type { Options } from '../options/options.ts'
import { chooseFormats, type FormatChoice, type FormatQuestion, keepsGainMap } from './choose-formats.ts'
import { atEffort } from './effort.ts'
import { formatsThatHold, holdsAlpha, limitsOfFormats } from './format-holds.ts'
import { settleGamut } from './gamut.ts'
import { solveGeometry } from './geometry.ts'
import { checkSource } from './limits.ts'
import type { Limits, Plan, Target } from './plan.ts'
import { settleMark } from './settle-mark.ts'
import { sourceScore } from './source-score.ts'
import { type LossyPreset, requiredAgainstLossy, targetScore } from './targets.ts'

/** Input for a plan besides the options and the source. */
export interface PlanContext {
  readonly limits: Limits
  /** Whether the Accept header names image/webp, image/avif or image/jxl (§4.2). A wildcard does not count. */
  readonly acceptWebp: boolean
  readonly acceptAvif: boolean
  readonly acceptJxl?: boolean
  readonly canEncodeAnimatedAvif: boolean
  /** The usual one unless given. */
  readonly effort?: Effort
}

/** Makes all decisions that need no pixels. Throws 413 of §6, and 400 for a video of a still image. */
export const makePlan = (options: Options, facts: SourceFacts, context: PlanContext): Plan => {
  const refusal = checkSource(facts, context.limits)
  if (refusal !== undefined) throw refusal
  if (isVideo(options.format) && !moves(facts)) throw fail('VIDEO_OF_STILL', options.format)
  const choice = chooseFitting({ options, facts, moves: moves(facts), ...context }, context.limits)
  const quality = settleQuality(options, facts, choice.formats)
  const whole = options.resize.kind === 'full' && !trims(options, choice)
  const kept = whole && options.format === 'auto'
  const { warnings: ofGamut, ...gamut } = settleGamut(options, facts, choice)
  const plan: Plan = {
    trim: trims(options, choice),
    resize: options.resize,
    background: hasTransparency(choice.formats) ? options.background : opaque(options.background),
    target: quality.target,
    formats: choice.formats,
    ...(choice.preferred === undefined ? {} : { preferred: choice.preferred }),
    animated: choice.animated,
    neverLarger: kept && NEVER_LARGER.has(facts.format),
    mayGrow: kept && !NEVER_LARGER.has(facts.format),
    ...(keepsGainMap(options, facts, context.acceptWebp || context.acceptAvif) ? { keepGainMap: true } : {}),
    ...gamut,
    ...(options.maxBytes === undefined ? {} : { maxBytes: options.maxBytes }),
    ...(options.meta === 'copyright' && !choice.formats.includes('svg') ? { keepRights: true } : {}),
    limits: limitsOfFormats(context.limits, choice.formats),
    warnings: [...choice.warnings, ...quality.warnings, ...backgroundWarnings(options, choice.formats), ...ofGamut],
  }
  const settled = keepsSize(plan, facts) ? settleMark(plan, facts, options.quality) : plan
  return atEffort(settled, context.effort ?? 'usual')
}

/** Whether the result has the source's pixels unscaled. A size that changes nothing counts as no resizing. */
const keepsSize = ({ resize, trim, limits }: Plan, facts: SourceFacts): boolean => {
  const source = uprightExtent(facts, facts.orientation)
  return !trim && solveGeometry({ resize, source, limits, vector: facts.format === 'svg' }).identity
}

/** The formats of the contract without those that cannot hold a result of this size, unless none can. */
const chooseFitting = (question: FormatQuestion, limits: Limits): FormatChoice => {
  const { options, facts } = question
  const choice = chooseFormats(question)
  const source = uprightExtent(facts, facts.orientation)
  const vector = facts.format === 'svg'
  const { output } = solveGeometry({ resize: options.resize, source, limits, vector })
  return { ...choice, formats: formatsThatHold(choice.formats, output) }
}

/** Source formats that a result may never exceed (§3.4). Other sources are converted as §4.2 says, and may grow. */
const NEVER_LARGER: ReadonlySet<string> = new Set(['jpeg', 'png', 'gif', 'svg'])

/** Formats of animations. Further images of a TIFF are pages, and of an AVIF only the first is read. */
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

/** The obstacle to a lossless result (§3.3). undefined without one. Formats of few colours are checked once pixels are known. */
const losslessObstacle = (
  options: Options,
  facts: SourceFacts,
  formats: readonly OutputFormat[],
): string | undefined => {
  if (options.resize.kind !== 'full') return 'the image is resized'
  if (formats.some(isVideo)) return 'video is always lossy'
  if (!formats.includes('jpeg')) return undefined
  if (facts.format !== 'jpeg') return 'a new JPEG is always lossy'
  return options.trim ? 'a trimmed JPEG is encoded again' : undefined
}

const scoreTarget = (options: Options, facts: SourceFacts, preset: LossyPreset): Target => {
  const density = options.resize.kind === 'box' ? options.resize.density : 1
  const quality = facts.jpeg?.quality ?? facts.equivalentQuality
  const score =
    quality === undefined
      ? targetScore(preset, density)
      : requiredAgainstLossy(preset, density, sourceScore(quality, reduction(options, facts)))
  return { kind: 'score', score, preset }
}

/** Output px per source px before trimming, at most 1: enlarging does not hide the first loss. */
const reduction = (options: Options, facts: SourceFacts): number => {
  const source = uprightExtent(facts, facts.orientation)
  const unlimited = { maxSide: Infinity, maxPixels: Infinity }
  const { extract, scaleTo } = solveGeometry({ resize: options.resize, source, limits: unlimited })
  return Math.min(1, scaleTo.width / (extract ?? source).width)
}
