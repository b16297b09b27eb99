import type { Deadline } from '../../core/deadline.ts'
import { fail } from '../../core/failure.ts'
import type { Made } from '../../core/outcome.ts'
import { MISSED } from '../../plan/winner.ts'
import type { EffortChoice, EncoderEffort } from './efforts.ts'
import { bracket, type CrfAxis, nextCrf } from './next-crf.ts'

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
  /** Where the search begins. */
  readonly crf: number
  readonly axis: CrfAxis
  /** The score that is wanted; absent where nothing is scored. */
  readonly goal: number | undefined
  /** Most encodes of the search. */
  readonly most: number
  readonly deadline: Deadline
  readonly offer: (made: Made) => void
  /** One encode; undefined when time ran out. */
  readonly encode: (effort: EncoderEffort, crf: number, encodes: number) => Promise<VideoTrial | undefined>
}

/** The take to give out: the highest number that reaches the goal, else what comes nearest to it. */
const bestOf = (takes: readonly VideoTrial[], goal: number): VideoTrial =>
  bracket(takes, goal).good ?? takes.reduce((best, next) => (next.effectiveScore > best.effectiveScore ? next : best))

/** Searches the highest setting that reaches the goal, from a first take on. */
const refine = async (request: CrfSearch, effort: EncoderEffort, first: VideoTrial): Promise<Made> => {
  const { goal, axis, most, deadline } = request
  if (goal === undefined || Number.isNaN(first.effectiveScore)) return first.made
  const takes = [first]
  let encodes = first.made.encodes
  let cutShort = false
  while (takes.length < most) {
    const crf = nextCrf(takes, goal, axis)
    if (crf === undefined) break
    cutShort = first.seconds * 2000 > deadline.remaining()
    if (cutShort) break
    encodes += 1
    const next = await request.encode(effort, crf, encodes)
    cutShort = next === undefined || Number.isNaN(next.effectiveScore)
    if (next === undefined || cutShort) break
    takes.push(next)
    request.offer(next.made)
  }
  const { made, effectiveScore } = bestOf(takes, goal)
  if (cutShort) return { ...made, encodes, cutShort }
  return { ...made, encodes, warnings: effectiveScore >= goal ? made.warnings : [...made.warnings, MISSED] }
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

/** A quick take as a safeguard where time is short, then the better effort, searched. Fails with WORK_TOO_SLOW. */
export const searchCrf = async (request: CrfSearch): Promise<Made> => {
  const made = await searchFromQuick(request)
  return request.choice.timeLimited ? { ...made, cutShort: true } : made
}
