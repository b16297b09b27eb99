import type { AnyRaster } from '../../core/image.ts'
import type { Keep } from '../bitstream/metadata.ts'
import { type JpegEncoder, openJpegEncoder } from '../quantiser/encoder.ts'
import type { Subsampling } from '../quantiser/quant-tables.ts'
import { featuresOf } from './image-features.ts'
import { goalOf, nextParameters, type SearchState } from './next-trial.ts'
import { predictScores, qualityAt } from './quality-prediction.ts'
import { leastBytes } from './rate-estimate.ts'
import { bestOf, openTrials, type Reference, type Trial } from './trial.ts'

/** Time left, and whether the work is still wanted. */
export type TimeLimit = { remaining(): number; readonly signal?: AbortSignal }

/** What is wanted of the search. */
export type JpegGoal = {
  target: number
  /** 4:2:0 when not said, and 4:4:4 too where 4:2:0 has a hard time. */
  subsampling?: Subsampling
  keep?: Keep
  /** Points above the target that are near enough; 0.3 when not said. */
  slack?: number
  /** Trials at most; when not said 7, and 9 for small images, whose score jumps more and whose trials cost little. */
  trials?: number
  deadline?: TimeLimit
  /** Bytes that a result must stay below to be of use; a search that is estimated above them ends early. */
  beat?: number
  /** Quality to begin with, when something is known; else what is predicted. */
  start?: number
}

/** The smallest file found; `reached` when its score is the target's or better. The score is that of these very bytes. */
export type FoundJpeg = {
  bytes: Uint8Array
  score: number
  reached: boolean
  quality: number
  trials: number
  subsampling: Subsampling
  /** About what the symbols take, in bytes: what headers and tables add to that is much alike in files of one image. */
  rateEstimate: number
  /** By how much finer the tables had to be than was predicted: halved chroma may be why. */
  strain: number
}

/** Above this many pixels the search would take more than about 1 GB: use sharp's encoder instead. See docs/jpeg-encoder.md. */
export const CLOSED_LOOP_PIXELS = 40_000_000

/**
 * Searches the smallest JPEG of `image` whose score against `reference` reaches the target: each trial quantises, shows and
 * judges the final pixels, one entropy coding ends it. Undefined when the image is too large, when the work was
 * aborted, when time ran out before the first trial, or when it cannot stay below `goal.beat`; when time runs out later the
 * best so far is written.
 */
export const searchJpeg = (image: AnyRaster, reference: Reference, goal: JpegGoal): FoundJpeg | undefined => {
  if (image.width * image.height > CLOSED_LOOP_PIXELS || isTimeUp(goal)) return undefined
  const first = searchAt(image, reference, goal, goal.subsampling ?? '4:2:0')
  const next = first && !goal.subsampling ? goalInFull(goal, first) : undefined
  if (!first || !next || isTimeUp(goal)) return first
  const full = searchAt(image, reference, next, '4:4:4')
  if (!full) return goal.deadline?.signal?.aborted ? undefined : first
  const trials = first.trials + full.trials
  return { ...(isBetter(full, first) ? full : first), trials }
}

/** Above this score full chroma can be smaller on photographs, where halved chroma is what keeps the score down. */
const HIGH_TARGET = 84
const MUCH_STRAIN = 2

/**
 * The goal of a search with full chroma after one with halved chroma: undefined where that can hardly be smaller, nor reach
 * what the other did not, unless it is to be tried anyway. `found` is undefined where nothing stays below `beat`.
 */
export const goalInFull = (goal: JpegGoal, found: FoundJpeg | undefined, anyway = false): JpegGoal | undefined => {
  const full = { ...goal, subsampling: '4:4:4' as const }
  const high = goal.target >= HIGH_TARGET
  if (found === undefined) return anyway || high ? full : undefined
  if (!found.reached) return full
  if (!anyway && !(high && found.strain >= MUCH_STRAIN)) return undefined
  const beat = Math.min(found.bytes.length, found.rateEstimate, goal.beat ?? Number.POSITIVE_INFINITY)
  return { ...full, start: found.quality - COARSER_IN_FULL, beat }
}

/** With full chroma the tables of a score are coarser by about this. */
const COARSER_IN_FULL = 6

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
  const { trials, predicted, hopeless } = trial(encoder, reference, goal)
  const best = bestOf(trials, goal.target)
  if (!best || hopeless || goal.deadline?.signal?.aborted) return undefined
  if (best !== trials.at(-1)) encoder.quantise(best.setting)
  const { score, quality, rateEstimate } = best
  const reached = score >= goal.target
  const bytes = encoder.finish(goal.keep)
  return {
    bytes,
    score,
    quality,
    rateEstimate,
    subsampling,
    reached,
    trials: trials.length,
    strain: quality - predicted,
  }
}

/** `predicted`: the quality that was. `hopeless`: no file can stay below what it has to beat. */
type Probing = { trials: Trial[]; predicted: number; hopeless: boolean }

/** Probes until the decider is content, time is over, or what is found costs too much. */
const trial = (encoder: JpegEncoder, reference: Reference, goal: JpegGoal): Probing => {
  const state = openSearch(encoder, goal)
  const attempt = openTrials(encoder, reference)
  const trials: Trial[] = []
  let hopeless = false
  while (!hopeless && (trials.length === 0 || !isTimeUp(goal))) {
    const next = nextParameters(trials, state)
    if (next.kind === 'done') break
    const one = attempt({ quality: next.quality, lambdaScale: next.lambdaScale })
    trials.push(one)
    hopeless = leastBytes(one.rateEstimate, goalOf(state) - one.score) > (goal.beat ?? Number.POSITIVE_INFINITY)
  }
  return { trials, predicted: qualityAt(state.curve, goalOf(state)), hopeless }
}

const openSearch = ({ transformed }: JpegEncoder, { target, slack = 0.3, trials, start }: JpegGoal): SearchState => {
  const { frame } = transformed
  const known = {
    curve: predictScores(featuresOf(transformed)),
    lowest: lowestFor(frame),
    ...(start === undefined ? {} : { start }),
  }
  return { target, slack, trials: trials ?? mostProbes(frame), ...known }
}

type Size = { width: number; height: number }

/** Small images' scores jump more, and their trials cost little. */
const mostProbes = ({ width, height }: Size): number => (width * height < 100_000 ? 9 : 7)

/**
 * Smooth images reach low targets at very coarse tables (a CLIC landscape 60 at -140, with 13 % fewer bytes than at -60). Below
 * 129 px the metric has fewer scales than it was made for, and is not trusted that far.
 */
const lowestFor = ({ width, height }: Size): number => (Math.min(width, height) < 129 ? -60 : -160)

const isTimeUp = ({ deadline }: JpegGoal): boolean =>
  deadline !== undefined && (deadline.signal?.aborted === true || deadline.remaining() <= 0)
