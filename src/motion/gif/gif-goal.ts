import { goalFor } from '../../plan/targets.ts'
import type { MotionJob } from '../frames/job.ts'
import { type FrameJudge, openFrameJudge, openJudgeOf } from '../frames/score-frames.ts'
import type { Base } from './gif-base.ts'

/** By what a file is judged. */
export interface Goal extends Disposable {
  readonly score: number
  readonly judge: FrameJudge
  /** Where the base itself misses the target, since a GIF has 256 colours: what its files are compared with instead. */
  readonly base?: FrameJudge
  readonly warnings: readonly string[]
}

/** Finds out what the base itself is worth. */
export const openGoal = async (job: MotionJob, base: Base, target: number): Promise<Goal> => {
  const judge = await openFrameJudge(job)
  const score = goalFor(target)
  const free = (...judges: FrameJudge[]) => ({
    [Symbol.dispose]: () => {
      for (const each of judges) each[Symbol.dispose]()
    },
  })
  const ceiling = base.own ? 100 : await judge.compareFile(base.path)
  if (ceiling >= score) return { score, judge, warnings: [], ...free(judge) }
  const own = await openJudgeOf(base.animation, judge)
  const warning = `GIF has 256 colours a frame: this animation can score ${Math.round(ceiling)} at most, and is judged against that.`
  return { score, judge, base: own, warnings: [warning], ...free(judge, own) }
}
