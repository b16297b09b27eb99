import { type Aim, type Knobs, nearby, nextProbe, type Probe } from './aim.ts'
import type { Samples } from './canvas.ts'
import { type Attempt, type JpegEncoder, openJpegEncoder, type Setting } from './encoder.ts'
import type { Keep } from './metadata.ts'
import type { Subsampling } from './tables.ts'

/** What judges: a reference made ready, giving a candidate's score. */
export type Reference = { compare(candidate: Samples): number }

/** Time left, and whether the work is still wanted. */
export type Patience = { remaining(): number; readonly signal?: AbortSignal }

/** What is wanted of the search. */
export type JpegGoal = {
  target: number
  /** 4:2:0 when not said, and 4:4:4 too where 4:2:0 has a hard time. */
  subsampling?: Subsampling
  keep?: Keep
  /** Points above the target that are near enough; 0.2 when not said. */
  slack?: number
  /** Probes at most; when not said 7, and 12 for small images, whose score jumps more and whose probes cost little. */
  probes?: number
  patience?: Patience
}

/** The smallest file found; `reached` when its score is the target's or better. The score is that of these very bytes. */
export type FoundJpeg = {
  bytes: Uint8Array
  score: number
  reached: boolean
  quality: number
  probes: number
  subsampling: Subsampling
}

/** Above this many pixels the search would take more than about 1 GB: use sharp's encoder instead. See docs/jpeg-encoder.md. */
export const closedLoopPixels = 40_000_000

/**
 * Searches the smallest JPEG of `image` whose score against `reference` reaches the target: each probe quantises, shows and
 * judges the final pixels, one entropy coding ends it. Undefined when the image is too large, or when the work was
 * aborted, or when time ran out before the first probe; when time runs out later the best so far is written.
 */
export const searchJpeg = (image: Samples, reference: Reference, goal: JpegGoal): FoundJpeg | undefined => {
  if (image.width * image.height > closedLoopPixels || isOver(goal)) return undefined
  const first = searchAt(image, reference, goal, goal.subsampling ?? '4:2:0')
  if (!first || goal.subsampling || (first.reached && first.quality < fineEnough) || isOver(goal)) return first
  const full = searchAt(image, reference, goal, '4:4:4')
  if (!full) return goal.patience?.signal?.aborted ? undefined : first
  const probes = first.probes + full.probes
  return { ...(isBetter(full, first) ? full : first), probes }
}

/** Where 4:2:0 needs tables as fine as this, or does not reach the target at all, chroma at full size may be smaller. */
const fineEnough = 92

const isBetter = (a: FoundJpeg, b: FoundJpeg): boolean => {
  if (a.reached !== b.reached) return a.reached
  return a.reached ? a.bytes.length < b.bytes.length : a.score > b.score
}

const searchAt = (
  image: Samples,
  reference: Reference,
  goal: JpegGoal,
  subsampling: Subsampling,
): FoundJpeg | undefined => {
  const encoder = openJpegEncoder(image, subsampling)
  const tried = probe(encoder, image, reference, goal)
  const best = bestOf(tried, goal.target)
  if (!best || goal.patience?.signal?.aborted) return undefined
  if (best !== tried.at(-1)) encoder.settle(best.setting)
  const { score, quality } = best
  const bytes = encoder.finish(goal.keep)
  return { bytes, score, quality, subsampling, reached: score >= goal.target, probes: tried.length }
}

type Tried = Probe & { setting: Setting & Knobs }

/** Points that the first probe, which has no lessons yet, would score more with them: usual for a photograph. */
const lift = 0.5

/**
 * Probes until the decider is content. What an attempt teaches (rates, shifts) goes into the next while the goal is far; once
 * near, all but the strictness is held, so that the score follows it alone.
 */
const probe = (encoder: JpegEncoder, image: Samples, reference: Reference, goal: JpegGoal): Tried[] => {
  const aim = { target: goal.target, slack: goal.slack ?? 0.2, probes: goal.probes ?? probesFor(image) }
  const tried: Tried[] = []
  let learned: Pick<Setting, 'rates' | 'shifts'> = {}
  while (tried.length === 0 || !isOver(goal)) {
    const knobs = nextKnobs(tried, aim)
    if (!knobs) break
    const setting = { ...knobs, ...learned }
    const refining = tried.some((one) => one.quality === knobs.quality && one.setting.rates === learned.rates)
    const attempt = refining ? undefined : encoder.attempt(setting)
    const score = reference.compare(attempt?.pixels ?? encoder.show(setting))
    tried.push({ ...knobs, score, setting })
    if (attempt && (tried.length === 1 || Math.abs(score - aim.target) > nearby)) learned = lessonsOf(attempt)
  }
  return tried
}

/**
 * As the decider says. The first probe only tells where to go next: with lessons a photograph gains half a point, a chart five,
 * so its score stands in no line with the others'; what it found right is tried again with its lessons.
 */
const nextKnobs = (tried: Tried[], aim: Aim): Knobs | undefined => {
  const [first, ...taught] = tried
  const guess = first && { ...first, score: first.score + lift }
  const next = nextProbe(taught.length > 0 || !guess ? taught : [guess], { ...aim, probes: aim.probes - 1 })
  if (next.kind === 'try') return { quality: next.quality, strictness: next.strictness }
  return tried.length === 1 && aim.probes > 1 ? first!.setting : undefined
}

const probesFor = ({ width, height }: Samples): number => (width * height < 250_000 ? 12 : 7)

const lessonsOf = ({ rates, shifts }: Attempt): Pick<Setting, 'rates' | 'shifts'> => ({ rates, shifts })

/** Of those that reach the target the one that scores least, which is the smallest; where none does, the one that scores best. */
const bestOf = (tried: Tried[], target: number): Tried | undefined =>
  tried.filter((t) => t.score >= target).toSorted((a, b) => a.score - b.score)[0] ??
  tried.toSorted((a, b) => b.score - a.score)[0]

const isOver = ({ patience }: JpegGoal): boolean =>
  patience !== undefined && (patience.signal?.aborted === true || patience.remaining() <= 0)
