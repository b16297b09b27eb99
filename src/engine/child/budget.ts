/** The best quality within a number of bytes: the search at the preset, then at lower scores, then at smaller sizes, then at both below `low`. */
import { copyFileSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Job, Made } from '../../core/outcome.ts'
import { atReduction, atScore, budgetWarning, overBudgetWarning, scoreRange } from '../../plan/budget.ts'
import type { Plan } from '../../plan/plan.ts'
import { nextSetting } from '../../search/find-setting.ts'
import type { SettingProblem, SettingTrial } from '../../search/setting-problem.ts'
import type { Report } from './report.ts'

/** Makes the best result of a plan. */
type Run = (job: Job<Plan>, report: Report) => Promise<Made>

/** Share of the budget that may be left unused: about the bytes of a point of the score. */
const TOLERANCE = 0.02
/** Standard deviation of the natural logarithm of bytes around a smooth curve: searches end within a point of their goal. */
const NOISE = 0.015
/** Usual rise of the natural logarithm of bytes per point of the score, of photographs between `low` and `high`. */
const RISE_PER_POINT = 0.04
/** Usual power of the sides by which bytes fall. */
const BYTES_BY_SIDE = 1.6
/** Smallest part of each side that is tried. */
const MIN_SCALE = 0.5
/** Settings on each axis: a sixteenth of a point, and half a per cent of the sides. */
const STEPS = { score: 1 / 16, scale: 1 / 200 }

/** Points of the prior between both ends of the size axis. */
const PRIOR_POINTS = 8

/** A setting is the number of points that the score is lowered by; its margin is the logarithm of budget by bytes. */
const scoreProblem = (points: number): SettingProblem => ({
  axis: { min: 0, max: points, step: STEPS.score },
  prior: [
    [0, 0],
    [points, points * RISE_PER_POINT],
  ],
  slopeSpread: 0.5,
  noise: NOISE,
  tolerance: TOLERANCE,
  maxTrials: 8,
})

/** A setting is the part of the sides that is taken away. */
const SCALE_PROBLEM: SettingProblem = {
  axis: { min: 0, max: 1 - MIN_SCALE, step: STEPS.scale },
  prior: Array.from({ length: PRIOR_POINTS + 1 }, (_, i) => {
    const less = ((1 - MIN_SCALE) * i) / PRIOR_POINTS
    return [less, -BYTES_BY_SIDE * Math.log(1 - less)] as const
  }),
  slopeSpread: 0.5,
  noise: NOISE,
  tolerance: 2 * TOLERANCE,
  maxTrials: 7,
}

/** A result of a run, or one that a run offered on its way. */
interface Kept {
  readonly made: Made
  readonly fits: boolean
  /** Whether a run ended with it. What a run offers before may be far below its target. */
  readonly isFinal: boolean
}

/** A result that fits wins, then one that ended its run, then the larger size and score. If neither fits, fewer bytes win. */
const betterKept = (best: Kept | undefined, next: Kept): Kept => {
  if (best === undefined) return next
  if (next.fits !== best.fits) return next.fits ? next : best
  if (!next.fits) return next.made.bytes < best.made.bytes ? next : best
  if (next.isFinal !== best.isFinal) return next.isFinal ? next : best
  return rankOf(next.made) > rankOf(best.made) ? next : best
}

/** Size counts before score. */
const rankOf = ({ width, height, score = 100 }: Made): number => width * height * 1000 + score

/** One trial after the other, each in a directory of its own. */
const openTrials = (job: Job<Plan>, report: Report, budget: number, run: Run) => {
  let best: Kept | undefined
  let count = 0
  let encodes = 0
  const keep = (made: Made, { lowered, isFinal }: { readonly lowered: boolean; readonly isFinal: boolean }): Made => {
    const fits = made.bytes <= budget
    const { score, width, height } = made
    const size =
      first !== undefined && (width !== first.width || height !== first.height) ? { size: { width, height } } : {}
    const lessened = budgetWarning(budget, { ...(score === undefined ? {} : { score }), ...size })
    const said = fits ? (lowered ? [lessened] : []) : [overBudgetWarning(budget, made.bytes)]
    const described = {
      ...made,
      path: placed(made.path),
      encodes: encodes + made.encodes,
      warnings: [...made.warnings, ...said],
    }
    const before = best
    best = betterKept(best, { made: described, fits, isFinal })
    if (best !== before) report.offer(described)
    return described
  }
  let first: Made | undefined
  let minBytes = Number.POSITIVE_INFINITY
  let files = 0
  /** The pool takes plain files of the job's own directory alone, without a second name. */
  const placed = (path: string): string => {
    if (dirname(path) === job.directory || path === job.path) return path
    const place = join(job.directory, `kept-${++files}`)
    copyFileSync(path, place)
    return place
  }
  return {
    /** The result of a plan; undefined where time ended before there was any. */
    trial: async (plan: Plan): Promise<Made | undefined> => {
      const lowered = count > 0
      const directory = join(job.directory, `budget-${count++}`)
      await mkdir(directory)
      try {
        const made = await run(
          { ...job, plan, directory },
          { ...report, offer: (offered) => void keep(offered, { lowered, isFinal: false }) },
        )
        const described = keep(made, { lowered, isFinal: true })
        encodes += made.encodes
        first ??= made
        minBytes = Math.min(minBytes, made.bytes)
        return described
      } catch (error) {
        if (best === undefined) throw error
        return undefined
      }
    },
    best: (): Made | undefined => best?.made,
    /** Bytes of the smallest result that a run ended with. */
    minBytes: (): number => minBytes,
    /** Whether a run ended with a result that fits. */
    fits: (): boolean => best?.fits === true && best.isFinal,
  }
}

type Trials = ReturnType<typeof openTrials>

/** Follows the solver to the end of one axis, from trials that are known; false where time ended. */
const searchAxis = async (
  {
    problem,
    budget,
    known,
  }: { readonly problem: SettingProblem; readonly budget: number; readonly known: readonly SettingTrial[] },
  run: (setting: number) => Promise<Made | undefined>,
  isOver: () => boolean,
): Promise<boolean> => {
  const trials = [...known]
  for (;;) {
    const next = nextSetting(problem, trials)
    if (next.kind === 'stop') return true
    if (isOver()) return false
    const made = await run(next.setting)
    if (made === undefined || made.cutShort === true) return false
    trials.push({ setting: next.setting, margin: Math.log(budget / made.bytes), bytes: made.bytes })
  }
}

const searchLower = async (job: Job<Plan>, trials: Trials, first: Made, isOver: () => boolean): Promise<boolean> => {
  const { plan } = job
  const budget = plan.maxBytes!
  const { min, max } = scoreRange(plan)
  const margin = Math.log(budget / first.bytes)
  // A lossless plan is no point of the axis.
  const known = plan.target.kind === 'score' ? [{ setting: 0, margin, bytes: first.bytes }] : []
  if (max > min) {
    const lower = (less: number) => trials.trial(atScore(plan, max - less))
    if (!(await searchAxis({ problem: scoreProblem(max - min), budget, known }, lower, isOver))) return false
  }
  if (trials.fits()) return true
  const bytes = trials.minBytes()
  const whole = { setting: 0, margin: Math.log(budget / bytes), bytes }
  const scaled = (less: number) => trials.trial(atReduction(plan, first, { scale: 1 - less, below: 0 }))
  if (!(await searchAxis({ problem: SCALE_PROBLEM, budget, known: [whole] }, scaled, isOver))) return false
  if (trials.fits()) return true
  const reduced = (less: number) =>
    trials.trial(atReduction(plan, first, { scale: 1 - less, below: less / (1 - MIN_SCALE) }))
  return searchAxis({ problem: SCALE_PROBLEM, budget, known: [] }, reduced, isOver)
}

/**
 * The best result within the plan's budget. Where no quality down to `low` and no size down to a half fits, both fall together. Where the
 * lowest legible score at half the size does not fit, the smallest result, with a warning. Without a budget it is the run itself.
 */
export const withinBudget = async (job: Job<Plan>, report: Report, run: Run): Promise<Made> => {
  const { maxBytes } = job.plan
  if (maxBytes === undefined) return run(job, report)
  const trials = openTrials(job, report, maxBytes, run)
  const first = (await trials.trial(job.plan))!
  const isOver = (): boolean => report.deadline.signal.aborted
  const canLower = job.plan.formats[0] !== 'svg' && !trials.fits()
  const isDone = !canLower || (await searchLower(job, trials, first, isOver))
  const best = trials.best()!
  return isDone ? best : { ...best, cutShort: true }
}
