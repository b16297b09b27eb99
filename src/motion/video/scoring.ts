import type { ResultFile } from '../../core/outcome.ts'
import { goalFor } from '../../plan/targets.ts'
import type { MotionJob } from '../frames/job.ts'
import { openVideoMetric, type VideoMetric, type VideoMetricRequest } from './score-video.ts'

/** Goal of finished encodes. */
export interface ScoreTarget {
  readonly metric: VideoMetric
  /** The score that is wanted. */
  readonly goal: number
}

/** Where finished encodes can be scored at all, and with less than `leastMs` left are not. */
export type ScoreTargetRequest = Omit<VideoMetricRequest, 'goal'> & { readonly leastMs: number }

/** Makes what is held to the plan's target, where it has one and there is time to score it; without that time the result is cut short. */
export const encodeToTarget = async (
  { leastMs, ...request }: ScoreTargetRequest,
  make: (scoreTarget?: ScoreTarget) => Promise<ResultFile>,
): Promise<ResultFile> => {
  const { plan, deadline } = request.job
  if (plan.target.kind === 'lossless') return make()
  if (deadline.remaining() < leastMs) return { ...(await make()), cutShort: true }
  const goal = goalFor(plan.target.score)
  using metric = await openVideoMetric({ ...request, goal })
  return await make({ metric, goal })
}

/** Scores of an encode. Without scoring, `effectiveScore` is NaN and `known` is empty. */
export interface ScoredEncode {
  readonly effectiveScore: number
  readonly known: Pick<ResultFile, 'score' | 'meetsTarget'>
  /** See `VideoScores`; absent where nothing was scored. */
  readonly tileColour?: number
}

/** Scores an encode, where it is held to anything and there is time. */
export const scoreEncode = async (
  job: MotionJob,
  scoreTarget: ScoreTarget | undefined,
  matroska: Buffer,
): Promise<ScoredEncode> => {
  const scores = await job.time('score', async () => scoreTarget?.metric.compare(matroska))
  if (scores === undefined || scoreTarget === undefined) return { effectiveScore: Number.NaN, known: {} }
  const { score, effectiveScore, tileColour } = scores
  return { effectiveScore, tileColour, known: { score, meetsTarget: effectiveScore >= scoreTarget.goal } }
}
