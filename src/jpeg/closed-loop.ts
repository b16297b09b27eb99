import { type Aim, type Knobs, nextKnobs, type Probe } from './aim.ts'
import type { Samples } from './canvas.ts'
import { type Attempt, type JpegEncoder, openJpegEncoder, type Setting } from './encoder.ts'
import { foresee } from './foresight.ts'
import type { Keep } from './metadata.ts'
import type { Subsampling } from './tables.ts'
import { traitsOf } from './traits.ts'

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
  /** Points above the target that are near enough; 0.3 when not said. */
  slack?: number
  /** Probes at most; when not said 7, and 9 for small images, whose score jumps more and whose probes cost little. */
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
  try {
    return searchWith(encoder, reference, goal, subsampling)
  } finally {
    encoder.close()
  }
}

const searchWith = (
  encoder: JpegEncoder,
  reference: Reference,
  goal: JpegGoal,
  subsampling: Subsampling,
): FoundJpeg | undefined => {
  const tried = probe(encoder, reference, goal)
  const best = bestOf(tried, goal.target)
  if (!best || goal.patience?.signal?.aborted) return undefined
  if (best !== tried.at(-1)) encoder.settle(best.setting)
  const { score, quality } = best
  const bytes = encoder.finish(goal.keep)
  return { bytes, score, quality, subsampling, reached: score >= goal.target, probes: tried.length }
}

type Tried = Probe & { setting: Setting & Knobs }

type Lessons = Pick<Setting, 'rates' | 'shifts'>

/**
 * Probes until the decider is content. The first attempt is judged as it is, and teaches: with its lessons the same tables score
 * half a point more. At other tables they hold no longer (docs/jpeg-encoder.md), so there an attempt that is not judged comes first.
 */
const probe = (encoder: JpegEncoder, reference: Reference, goal: JpegGoal): Tried[] => {
  const curve = foresee(traitsOf(encoder.canvas))
  const aim: Aim = { target: goal.target, slack: goal.slack ?? 0.3, probes: goal.probes ?? mostProbes(encoder), curve }
  const tried: Tried[] = []
  let lessons: Lessons | undefined
  let taughtAt: number | undefined
  while (tried.length === 0 || !isOver(goal)) {
    const next = nextKnobs(tried, aim)
    if (next.kind === 'done') break
    const { quality, strictness } = next
    const taught = lessons !== undefined
    const attempt = quality === taughtAt ? undefined : encoder.attempt({ quality, strictness, ...lessons })
    if (attempt) {
      lessons = lessonsOf(attempt)
      taughtAt = quality
    }
    const setting = taught ? { quality, strictness, ...lessons } : { quality, strictness }
    const pixels = attempt && !taught ? attempt.pixels : encoder.show(setting)
    tried.push({ quality, strictness, score: reference.compare(pixels), taught, setting })
  }
  return tried
}

const mostProbes = ({ canvas: { frame } }: JpegEncoder): number => (frame.width * frame.height < 100_000 ? 9 : 7)

const lessonsOf = ({ rates, shifts }: Attempt): Lessons => ({ rates, shifts })

/**
 * Of those that reach the target the one that scores least, which is the smallest (without lessons it would be larger: only when
 * there is no other); where none does, the one that scores best.
 */
const bestOf = (tried: Tried[], target: number): Tried | undefined => {
  const reached = tried.filter((t) => t.score >= target)
  const taught = reached.filter((t) => t.taught)
  return (
    (taught.length > 0 ? taught : reached).toSorted((a, b) => a.score - b.score)[0] ??
    tried.toSorted((a, b) => b.score - a.score)[0]
  )
}

const isOver = ({ patience }: JpegGoal): boolean =>
  patience !== undefined && (patience.signal?.aborted === true || patience.remaining() <= 0)
