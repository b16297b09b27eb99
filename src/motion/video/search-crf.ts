import type { Deadline } from '../../core/deadline.ts'
import { fail } from '../../core/failure.ts'
import type { ResultFile } from '../../core/outcome.ts'
import { MISSED } from '../../plan/winner.ts'
import { nextSetting } from '../../search/find-setting.ts'
import type { SettingProblem } from '../../search/setting-problem.ts'
import { type EffortChoice, type EncoderEffort, finishOf } from './efforts.ts'

/** The quality numbers (crf) of an encoder; a larger one loses more. */
export interface CrfAxis {
  readonly lowest: number
  readonly highest: number
  /** Distance of two numbers whose scores differ noticeably. */
  readonly step: number
  /** Usual points of score that are lost from one number to the next. */
  readonly scorePerCrf: number
}

/** A finished file with the setting it was made by. */
export interface VideoTrial {
  readonly file: ResultFile
  readonly crf: number
  /** Points that the goal is compared with; NaN where nothing was scored. */
  readonly effectiveScore: number
  readonly seconds: number
}

/** Where the file that reaches the goal is too large, the search continues towards a lower score. */
export interface SizeBound {
  /** A file of this many bytes is too large. */
  readonly maxBytes: number
  /** A smaller file need not score more. Where such a file is too large too, the one with the best score below `maxBytes` is wanted. */
  readonly lowestGoal: number
  /** No file below `maxBytes` is expected to reach the goal. */
  readonly isBinding?: boolean
}

export interface CrfSearch {
  /** Called when its effort is to begin: the quickest one may have taken part of the time. */
  readonly choose: () => Pick<EffortChoice, 'effort' | 'timeLimited'>
  /** A quick encode that exists already: the result where no other ends in time. */
  readonly safeguard?: ResultFile | undefined
  /** The quickest effort, where a better one may not end in time: it looks first whether a file below the size bound reaches the goal. */
  readonly quick?: EncoderEffort | undefined
  /** The first trial. */
  readonly crf: number
  readonly axis: CrfAxis
  /** The required score; absent where nothing is scored. */
  readonly goal: number | undefined
  readonly sizeBound?: SizeBound | undefined
  /** Maximum number of trials for the goal. A size bound may take half as many more. */
  readonly most: number
  readonly deadline: Deadline
  readonly offer: (file: ResultFile) => void
  /** One encode; undefined when time ran out. */
  readonly encode: (effort: EncoderEffort, crf: number, encodes: number) => Promise<VideoTrial | undefined>
}

/** One step of a search. Its margin rises with the solver's setting, which is the crf or the negated crf. */
interface Step {
  readonly sign: 1 | -1
  readonly problem: SettingProblem
  readonly marginOf: (trial: VideoTrial) => number
}

/** The lowest quality whose score reaches the goal. The solver's settings are negated crf, because a larger one must score more. */
const reachGoal = ({ axis, crf, most }: CrfSearch, goal: number): Step => ({
  sign: -1,
  problem: {
    axis: { min: -axis.highest, max: -axis.lowest, step: axis.step },
    prior: [
      [-crf, 0],
      [-crf + 1, axis.scorePerCrf],
    ],
    slopeSpread: 0.35,
    noise: 0.4,
    tolerance: 1,
    maxTrials: most,
    // Far from the goal the slope is another.
    maxJump: 12,
  },
  marginOf: ({ effectiveScore }) => effectiveScore - goal,
})

/** Natural logarithm of bytes: a file this near to a size bound is not searched further. It is worth 1 to 2 points of score (measured). */
const SIZE_TOLERANCE = 0.05

/** Natural logarithm of bytes that a point of score is worth (measured). */
const BYTES_PER_POINT = 0.04

/** The best quality that is small enough and no better than the lowest goal asks for. Margins are natural logarithms of bytes. */
const fitBytes = ({ axis, crf }: CrfSearch, { maxBytes, lowestGoal }: SizeBound, maxTrials: number): Step => {
  const highestScore = lowestGoal + SIZE_TOLERANCE / BYTES_PER_POINT
  return {
    sign: 1,
    problem: {
      axis: { min: axis.lowest, max: axis.highest, step: axis.step },
      prior: [
        [crf, 0],
        [crf + 1, BYTES_PER_POINT * axis.scorePerCrf],
      ],
      slopeSpread: 0.35,
      noise: 0.02,
      tolerance: SIZE_TOLERANCE,
      maxTrials,
      maxJump: 12,
    },
    marginOf: ({ file, effectiveScore }) =>
      Math.min(Math.log((maxBytes - 1) / file.bytes), BYTES_PER_POINT * (highestScore - effectiveScore)),
  }
}

const byCrf = (a: VideoTrial, b: VideoTrial): number => b.crf - a.crf
const byScore = (a: VideoTrial, b: VideoTrial): number => b.effectiveScore - a.effectiveScore

/** The trial that becomes the result, and why it is not the one that the goal asks for. */
interface Choice {
  readonly kind: 'reached' | 'missed' | 'lowered' | 'bounded'
  readonly trial: VideoTrial
}

/** The highest crf that reaches the goal, else the nearest; a file below the size bound instead where that one is too large. */
const choose = (trials: readonly VideoTrial[], goal: number, bound?: SizeBound): Choice => {
  const highest = (among: readonly VideoTrial[], score: number): VideoTrial | undefined =>
    among.filter(({ effectiveScore }) => effectiveScore >= score).toSorted(byCrf)[0]
  const reached = highest(trials, goal)
  const usual: Choice =
    reached === undefined
      ? { kind: 'missed', trial: trials.toSorted(byScore)[0]! }
      : { kind: 'reached', trial: reached }
  const isMissed = usual.kind === 'missed' && bound?.isBinding === true
  if (bound === undefined || (usual.trial.file.bytes < bound.maxBytes && !isMissed)) return usual
  const smaller = trials.filter(({ file }) => file.bytes < bound.maxBytes)
  const lowered = highest(smaller, bound.lowestGoal)
  if (lowered !== undefined) return { kind: 'lowered', trial: lowered }
  const best = smaller.toSorted(byScore)[0]
  return best === undefined ? usual : { kind: 'bounded', trial: best }
}

const warningOf = ({ kind, trial }: Choice, goal: number): string[] => {
  if (kind === 'reached') return []
  if (kind === 'missed') return [MISSED]
  const consequence = kind === 'lowered' ? 'it is made at quality=low' : 'it is the best that is smaller'
  const score = `SSIMULACRA ${trial.effectiveScore.toFixed(1)} for ${Math.floor(goal)}`
  return [`At the quality asked for the result is not smaller than the source: ${consequence} (${score}).`]
}

/** Where the trials of one search are kept: each step adds to them. */
interface Exploration {
  readonly request: CrfSearch
  readonly effort: EncoderEffort
  readonly trials: VideoTrial[]
}

/** Tries settings until the step is done or `isHopeless`. Returns whether there was time for that. */
const runStep = async (
  { request, effort, trials }: Exploration,
  { sign, problem, marginOf }: Step,
  isHopeless: (trial: VideoTrial) => boolean = () => false,
): Promise<boolean> => {
  const { seconds, file } = trials[0]!
  while (!trials.some(isHopeless)) {
    const next = nextSetting(
      problem,
      trials.map((trial) => ({ setting: sign * trial.crf, margin: marginOf(trial) })),
    )
    if (next.kind === 'stop') return true
    if (seconds * 2000 > request.deadline.remaining()) return false
    const trial = await request.encode(effort, sign * next.setting, file.encodes + trials.length)
    if (trial === undefined || Number.isNaN(trial.effectiveScore)) return false
    trials.push(trial)
    request.offer(trial.file)
  }
  return true
}

/** Searches the goal; without a file below the size bound that reaches it, the best below the bound and near the lowest goal. */
const explore = async (exploration: Exploration, goal: number): Promise<boolean> => {
  const { request, trials } = exploration
  const { sizeBound, most } = request
  const { maxBytes } = sizeBound ?? { maxBytes: Number.POSITIVE_INFINITY }
  // A better score takes more bytes.
  const isHopeless = ({ file, effectiveScore }: VideoTrial): boolean => file.bytes >= maxBytes && effectiveScore < goal
  if (sizeBound?.isBinding !== true) {
    if (!(await runStep(exploration, reachGoal(request, goal), isHopeless))) return false
    const isSettled = choose(trials, goal).trial.file.bytes < maxBytes
    if (sizeBound === undefined || isSettled) return true
  }
  return runStep(exploration, fitBytes(request, sizeBound, Math.max(most, trials.length + Math.ceil(most / 2))))
}

/** A way to encode, with one trial of it. */
interface Way {
  readonly effort: EncoderEffort
  readonly first: VideoTrial
}

const costOf = ({ file, effectiveScore }: VideoTrial): number => Math.log(file.bytes) - BYTES_PER_POINT * effectiveScore

/** Whether a whole search of encodes that take as long as `trial` ends in time: one that is cut short loses more than another way saves. */
const hasTimeFor = ({ most, deadline }: CrfSearch, { seconds }: VideoTrial): boolean =>
  seconds * (most + 1) * 1000 <= deadline.remaining()

/** One trial of each alternative of an effort, as far as there is time. */
const tryAlternatives = async (request: CrfSearch, { effort, first }: Way): Promise<readonly Way[]> => {
  const ways: Way[] = []
  for (const other of effort.alternatives ?? []) {
    if (!hasTimeFor(request, first)) break
    const trial = await request.encode(other, first.crf, first.file.encodes + ways.length + 1)
    if (trial === undefined || Number.isNaN(trial.effectiveScore)) break
    request.offer(trial.file)
    ways.push({ effort: other, first: trial })
  }
  return ways
}

/** An effort with its first trial. */
interface Start extends Way {
  /** Whether there was time to try all alternatives of the effort. */
  readonly inTime: boolean
}

/** The effort or an alternative, whichever takes the fewest bytes at an equal score by one trial of each. */
const chooseWay = async (request: CrfSearch, effort: EncoderEffort, first: VideoTrial): Promise<Start> => {
  const { alternatives = [] } = effort
  const { maxBytes, isBinding } = request.sizeBound ?? { maxBytes: Number.POSITIVE_INFINITY }
  if (first.file.bytes >= maxBytes || isBinding === true) return { effort, first, inTime: true }
  const others = await tryAlternatives(request, { effort, first })
  const best = [{ effort, first }, ...others].toSorted((a, b) => costOf(a.first) - costOf(b.first))[0]!
  const encodes = first.file.encodes + others.length
  const file = { ...best.first.file, encodes }
  return { effort: best.effort, first: { ...best.first, file }, inTime: others.length === alternatives.length }
}

/** Searches on from the trial that reaches the goal, with the arguments of a finish. Returns the trials, and whether there was time for them. */
const finish = async (
  { request, effort, trials }: Exploration,
  args: EncoderEffort['finish'],
  found: VideoTrial,
  goal: number,
) => {
  if (args === undefined) return { trials: [], inTime: true }
  if (!hasTimeFor(request, found)) return { trials: [], inTime: false }
  const slower = finishOf(effort, args)
  const first = await request.encode(slower, found.crf, trials[0]!.file.encodes + trials.length)
  if (first === undefined || Number.isNaN(first.effectiveScore)) return { trials: [], inTime: false }
  request.offer(first.file)
  const finished = [first]
  // At most one trial more, since each takes two to three times as long.
  const inTime = await explore({ request: { ...request, most: 2 }, effort: slower, trials: finished }, goal)
  return { trials: finished, inTime }
}

/** Searches the highest crf that reaches the goal, from a first trial on; below the size bound where that one is too large. */
const refine = async (request: CrfSearch, usualEffort: EncoderEffort, usualFirst: VideoTrial): Promise<ResultFile> => {
  const { goal, sizeBound } = request
  if (goal === undefined || Number.isNaN(usualFirst.effectiveScore)) return usualFirst.file
  const { effort, first, inTime } = await chooseWay(request, usualEffort, usualFirst)
  const exploration: Exploration = { request, effort, trials: [first] }
  const ended = await explore(exploration, goal)
  const usual = choose(exploration.trials, goal, sizeBound)
  const finished =
    ended && usual.kind === 'reached'
      ? await finish(exploration, usualEffort.finish, usual.trial, goal)
      : { trials: [], inTime: ended }
  const better = finished.trials.filter(({ effectiveScore }) => effectiveScore >= goal)
  const trial = [usual.trial, ...better].toSorted((a, b) => a.file.bytes - b.file.bytes)[0]!
  const encodes = first.file.encodes + exploration.trials.length - 1 + finished.trials.length
  const warnings = [...trial.file.warnings, ...(!ended && usual.kind === 'missed' ? [] : warningOf(usual, goal))]
  return { ...trial.file, encodes, warnings, ...(inTime && finished.inTime ? {} : { cutShort: true }) }
}

/** An unscored encode of the quickest effort, offered, where a better one may not end in time. undefined elsewhere, or when time ran out. */
export const encodeSafeguard = async (
  { isRisky }: Pick<EffortChoice, 'isRisky'>,
  { offer }: Pick<CrfSearch, 'offer'>,
  encodeQuickly: () => Promise<VideoTrial | undefined>,
): Promise<ResultFile | undefined> => {
  const trial = isRisky ? await encodeQuickly() : undefined
  if (trial !== undefined) offer(trial.file)
  return trial?.file
}

/** Result of the quickest effort, where another one follows it. Begins no further encode after half of the time. undefined where there is none. */
const searchQuickly = async (request: CrfSearch): Promise<Choice | undefined> => {
  const { quick, crf, goal, sizeBound, deadline, safeguard } = request
  const isTooLarge = ({ bytes }: ResultFile): boolean => sizeBound !== undefined && bytes >= sizeBound.maxBytes
  if (quick === undefined || goal === undefined || (safeguard !== undefined && !isTooLarge(safeguard))) return undefined
  if (request.choose().effort === quick) return undefined
  const half = deadline.remaining() / 2
  const remaining = (): number => Math.max(0, deadline.remaining() - half)
  const first = await request.encode(quick, crf, 1 + (safeguard?.encodes ?? 0))
  if (first === undefined || Number.isNaN(first.effectiveScore)) return undefined
  request.offer(first.file)
  const trials = [first]
  if (isTooLarge(first.file))
    await explore({ request: { ...request, deadline: { ...deadline, remaining } }, effort: quick, trials }, goal)
  const { kind, trial } = choose(trials, goal, sizeBound)
  return { kind, trial: { ...trial, file: { ...trial.file, encodes: trials.at(-1)!.file.encodes } } }
}

/** A result of the quickest effort for where the better one does not end. That the goal is missed is not known then. */
const safeguardOf = ({ kind, trial }: Choice, goal: number): ResultFile => ({
  ...trial.file,
  warnings: [...trial.file.warnings, ...(kind === 'missed' ? [] : warningOf({ kind, trial }, goal))],
})

/** Whether a file below the size bound may reach the goal at the effort of `trial`. */
const canReach = ({ file, effectiveScore }: VideoTrial, goal: number, { maxBytes }: SizeBound): boolean =>
  Math.log(maxBytes / file.bytes) >= BYTES_PER_POINT * (goal - effectiveScore)

/**
 * Encodes once and searches on from there. Without time for one encode, returns the quickest effort's result or the safeguard, else fails with
 * WORK_TOO_SLOW.
 */
export const searchCrf = async (request: CrfSearch): Promise<ResultFile> => {
  const { goal, sizeBound } = request
  const quick = await searchQuickly(request)
  const safeguard = quick === undefined ? request.safeguard : safeguardOf(quick, goal!)
  const { effort, timeLimited } = request.choose()
  const isLowered = quick?.kind === 'lowered' || quick?.kind === 'bounded'
  const crf = quick?.trial.crf ?? request.crf
  // Without time for a better effort, the quickest continues from its own trial.
  const known = effort === request.quick ? quick?.trial : undefined
  const first = known ?? (await request.encode(effort, crf, 1 + (safeguard?.encodes ?? 0)))
  if (first === undefined && safeguard === undefined) throw fail('WORK_TOO_SLOW')
  if (first === undefined) return { ...safeguard!, cutShort: true }
  request.offer(first.file)
  const isBinding = isLowered && (known !== undefined || !canReach(first, goal!, sizeBound!))
  const bounded = isBinding ? { ...request, crf, sizeBound: { ...sizeBound!, isBinding } } : { ...request, crf }
  const file = await refine(bounded, effort, first)
  return timeLimited ? { ...file, cutShort: true } : file
}
