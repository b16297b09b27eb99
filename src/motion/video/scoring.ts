import type { Made } from '../../core/outcome.ts'
import { goalFor } from '../../plan/targets.ts'
import type { MotionJob } from '../frames/job.ts'
import { openVideoJudge, type VideoJudge, type VideoJudgeRequest } from './score-video.ts'

/** What finished encodes are held to. */
export interface Judging {
  readonly judge: VideoJudge
  /** The score that is wanted. */
  readonly goal: number
}

/** Where finished encodes can be judged at all, and with less than `leastMs` left are not. */
export type JudgingRequest = Omit<VideoJudgeRequest, 'goal'> & { readonly leastMs: number }

/** Makes what is held to the plan's target, where it has one and there is time to judge; without that time the result is cut short. */
export const makeJudged = async (
  { leastMs, ...request }: JudgingRequest,
  make: (judging?: Judging) => Promise<Made>,
): Promise<Made> => {
  const { plan, deadline } = request.job
  if (plan.target.kind === 'lossless') return make()
  if (deadline.remaining() < leastMs) return { ...(await make()), cutShort: true }
  const goal = goalFor(plan.target.score)
  using judge = await openVideoJudge({ ...request, goal })
  return await make({ judge, goal })
}

/** What is known of an encode once it was judged; `worth` is NaN and nothing is known where it was not. */
export interface Judged {
  readonly worth: number
  readonly known: Pick<Made, 'score' | 'meetsTarget'>
}

/** Judges an encode, where it is held to anything and there is time. */
export const judgeEncode = async (job: MotionJob, judging: Judging | undefined, matroska: Buffer): Promise<Judged> => {
  const verdict = await job.time('judge', async () => judging?.judge.compare(matroska))
  if (verdict === undefined || judging === undefined) return { worth: Number.NaN, known: {} }
  const { score, worth } = verdict
  return { worth, known: { score, meetsTarget: worth >= judging.goal } }
}
