import type { AnyRaster } from '../../core/image.ts'
import type { Keep } from '../bitstream/metadata.ts'
import { type JpegEncoder, openJpegEncoder } from '../quantiser/encoder.ts'
import type { Subsampling } from '../quantiser/tables.ts'
import { traitsOf } from './image-features.ts'
import { type Aim, goalOf, nextKnobs } from './next-trial.ts'
import { bestOf, openProber, type Reference, type Tried } from './prober.ts'
import { foresee, qualityAt } from './quality-prediction.ts'
import { leastBytes } from './rate-estimate.ts'

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
  /** Bytes that a result must stay below to be of use; a search that is priced above them ends early. */
  beat?: number
  /** Quality to begin with, when something is known; else what is foreseen. */
  start?: number
}

/** The smallest file found; `reached` when its score is the target's or better. The score is that of these very bytes. */
export type FoundJpeg = {
  bytes: Uint8Array
  score: number
  reached: boolean
  quality: number
  probes: number
  subsampling: Subsampling
  /** About what the symbols take, in bytes: what headers and tables add to that is much alike in files of one image. */
  price: number
  /** By how much finer the tables had to be than was foreseen: halved chroma may be why. */
  strain: number
}

/** Above this many pixels the search would take more than about 1 GB: use sharp's encoder instead. See docs/jpeg-encoder.md. */
export const closedLoopPixels = 40_000_000

/**
 * Searches the smallest JPEG of `image` whose score against `reference` reaches the target: each probe quantises, shows and
 * judges the final pixels, one entropy coding ends it. Undefined when the image is too large, when the work was
 * aborted, when time ran out before the first probe, or when it cannot stay below `goal.beat`; when time runs out later the
 * best so far is written.
 */
export const searchJpeg = (image: AnyRaster, reference: Reference, goal: JpegGoal): FoundJpeg | undefined => {
  if (image.width * image.height > closedLoopPixels || isOver(goal)) return undefined
  const first = searchAt(image, reference, goal, goal.subsampling ?? '4:2:0')
  const next = first && !goal.subsampling ? goalInFull(goal, first) : undefined
  if (!first || !next || isOver(goal)) return first
  const full = searchAt(image, reference, next, '4:4:4')
  if (!full) return goal.patience?.signal?.aborted ? undefined : first
  const probes = first.probes + full.probes
  return { ...(isBetter(full, first) ? full : first), probes }
}

/** Above this score full chroma can be smaller on photographs, where halved chroma is what keeps the score down. */
const highTarget = 84
const muchStrain = 2

/**
 * The goal of a search with full chroma after one with halved chroma: undefined where that can hardly be smaller, nor reach
 * what the other did not, unless it is to be tried anyway. `found` is undefined where nothing stays below `beat`.
 */
export const goalInFull = (goal: JpegGoal, found: FoundJpeg | undefined, anyway = false): JpegGoal | undefined => {
  const full = { ...goal, subsampling: '4:4:4' as const }
  const high = goal.target >= highTarget
  if (found === undefined) return anyway || high ? full : undefined
  if (!found.reached) return full
  if (!anyway && !(high && found.strain >= muchStrain)) return undefined
  const beat = Math.min(found.bytes.length, found.price, goal.beat ?? Number.POSITIVE_INFINITY)
  return { ...full, start: found.quality - coarserInFull, beat }
}

/** With full chroma the tables of a score are coarser by about this. */
const coarserInFull = 6

const isBetter = (a: FoundJpeg, b: FoundJpeg): boolean => {
  if (a.reached !== b.reached) return a.reached
  return a.reached ? a.bytes.length < b.bytes.length : a.score > b.score
}

const searchAt = (
  image: AnyRaster,
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
  const { tried, foreseen, hopeless } = probe(encoder, reference, goal)
  const best = bestOf(tried, goal.target)
  if (!best || hopeless || goal.patience?.signal?.aborted) return undefined
  if (best !== tried.at(-1)) encoder.settle(best.setting)
  const { score, quality, price } = best
  const reached = score >= goal.target
  const bytes = encoder.finish(goal.keep)
  return { bytes, score, quality, price, subsampling, reached, probes: tried.length, strain: quality - foreseen }
}

/** `foreseen`: the quality that was. `hopeless`: no file can stay below what it has to beat. */
type Probing = { tried: Tried[]; foreseen: number; hopeless: boolean }

/** Probes until the decider is content, time is over, or what is found costs too much. */
const probe = (encoder: JpegEncoder, reference: Reference, goal: JpegGoal): Probing => {
  const aim = aimOf(encoder, goal)
  const attempt = openProber(encoder, reference)
  const tried: Tried[] = []
  let hopeless = false
  while (!hopeless && (tried.length === 0 || !isOver(goal))) {
    const next = nextKnobs(tried, aim)
    if (next.kind === 'done') break
    const one = attempt({ quality: next.quality, strictness: next.strictness })
    tried.push(one)
    hopeless = leastBytes(one.price, goalOf(aim) - one.score) > (goal.beat ?? Number.POSITIVE_INFINITY)
  }
  return { tried, foreseen: qualityAt(aim.curve, goalOf(aim)), hopeless }
}

const aimOf = ({ canvas }: JpegEncoder, { target, slack = 0.3, probes, start }: JpegGoal): Aim => {
  const { frame } = canvas
  const known = {
    curve: foresee(traitsOf(canvas)),
    lowest: lowestFor(frame),
    ...(start === undefined ? {} : { start }),
  }
  return { target, slack, probes: probes ?? mostProbes(frame), ...known }
}

type Size = { width: number; height: number }

/** Small images' scores jump more, and their probes cost little. */
const mostProbes = ({ width, height }: Size): number => (width * height < 100_000 ? 9 : 7)

/**
 * Smooth images reach low targets at very coarse tables (a CLIC landscape 60 at -140, with 13 % fewer bytes than at -60). Below
 * 129 px the metric has fewer scales than it was made for, and is not trusted that far.
 */
const lowestFor = ({ width, height }: Size): number => (Math.min(width, height) < 129 ? -60 : -160)

const isOver = ({ patience }: JpegGoal): boolean =>
  patience !== undefined && (patience.signal?.aborted === true || patience.remaining() <= 0)
