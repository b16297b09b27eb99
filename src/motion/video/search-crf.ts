import type { Deadline } from '../../core/deadline.ts'
import { fail } from '../../core/failure.ts'
import type { Made } from '../../core/outcome.ts'
import { MISSED } from '../../plan/winner.ts'
import { nextSetting, smallestPassing } from '../../search/find-setting.ts'
import type { SettingProblem, SettingTrial } from '../../search/setting-problem.ts'
import type { EffortChoice, EncoderEffort } from './efforts.ts'

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
  readonly made: Made
  readonly crf: number
  /** Points that the goal is compared with; NaN where nothing was scored. */
  readonly effectiveScore: number
  readonly seconds: number
}

export interface CrfSearch {
  readonly choice: EffortChoice
  /** The first trial. */
  readonly crf: number
  readonly axis: CrfAxis
  /** The required score; absent where nothing is scored. */
  readonly goal: number | undefined
  /** Maximum number of trials. */
  readonly most: number
  readonly deadline: Deadline
  readonly offer: (made: Made) => void
  /** One encode; undefined when time ran out. */
  readonly encode: (effort: EncoderEffort, crf: number, encodes: number) => Promise<VideoTrial | undefined>
}

/** The lowest quality whose score reaches the goal. The solver's settings are negated crf, because a larger one must score more. */
const problemOf = ({ axis, crf, most }: CrfSearch): SettingProblem => ({
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
})

/** A video as the solver sees it. */
type CrfTrial = SettingTrial & Pick<VideoTrial, 'made'>

const trialOf = ({ crf, effectiveScore, made }: VideoTrial, goal: number): CrfTrial => ({
  setting: -crf,
  margin: effectiveScore - goal,
  made,
})

/** The trial with the highest crf that reaches the goal; where none does, the one nearest to it. */
const bestOf = (trials: readonly CrfTrial[]): CrfTrial =>
  smallestPassing(trials) ?? trials.toSorted((a, b) => b.margin - a.margin)[0]!

/** Searches the highest crf that reaches the goal, from a first trial on. */
const refine = async (request: CrfSearch, effort: EncoderEffort, first: VideoTrial): Promise<Made> => {
  const { goal, deadline } = request
  if (goal === undefined || Number.isNaN(first.effectiveScore)) return first.made
  const problem = problemOf(request)
  const trials = [trialOf(first, goal)]
  let encodes = first.made.encodes
  let cutShort = false
  for (let next = nextSetting(problem, trials); next.kind === 'trial'; next = nextSetting(problem, trials)) {
    cutShort = first.seconds * 2000 > deadline.remaining()
    if (cutShort) break
    encodes += 1
    const trial = await request.encode(effort, -next.setting, encodes)
    cutShort = trial === undefined || Number.isNaN(trial.effectiveScore)
    if (trial === undefined || cutShort) break
    trials.push(trialOf(trial, goal))
    request.offer(trial.made)
  }
  const { made, margin } = bestOf(trials)
  if (cutShort) return { ...made, encodes, cutShort }
  return { ...made, encodes, warnings: margin >= 0 ? made.warnings : [...made.warnings, MISSED] }
}

const searchFromQuick = async (request: CrfSearch): Promise<Made> => {
  const [quick, best] = request.choice.efforts
  const first = await request.encode(quick, request.crf, 1)
  if (first === undefined) throw fail('WORK_TOO_SLOW')
  request.offer(first.made)
  if (best === undefined) return refine(request, quick, first)
  const second = await request.encode(best, request.crf, 2)
  if (second === undefined) return { ...first.made, cutShort: true }
  request.offer(second.made)
  return refine(request, best, second)
}

/** Where time is short, encodes quickly first; then searches at the better effort. Fails with WORK_TOO_SLOW. */
export const searchCrf = async (request: CrfSearch): Promise<Made> => {
  const made = await searchFromQuick(request)
  return request.choice.timeLimited ? { ...made, cutShort: true } : made
}
