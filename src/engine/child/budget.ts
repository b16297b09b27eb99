/** Finds the best quality within a number of bytes: searches at the preset, then at lower scores, then at smaller sizes, then at both below `low`. */
import { copyFileSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Job, ResultFile } from '../../core/outcome.ts'
import { atReduction, atScore, budgetWarning, LEGIBLE_SCORE, overBudgetWarning, scoreRange } from '../../plan/budget.ts'
import type { Plan } from '../../plan/plan.ts'
import { nextSetting } from '../../search/find-setting.ts'
import type { SettingProblem, SettingTrial } from '../../search/setting-problem.ts'
import type { Report } from './report.ts'

/** Searches the best result of a plan. */
type Run = (job: Job<Plan>, report: Report) => Promise<ResultFile>

/** Share of the budget that may remain unused: about the bytes of one point of the score. */
const TOLERANCE = 0.02
/** Standard deviation of ln(bytes) around a smooth curve. Searches end within one point of their goal. */
const NOISE = 0.015
/** Usual rise of ln(bytes) per point of the score, for photographs between `low` and `high`. */
const RISE_PER_POINT = 0.04
/** Usual exponent of bytes as a power of the sides. */
const BYTES_BY_SIDE = 1.6
/** Smallest tested share of each side. */
const MIN_SCALE = 0.5
/** Step of each axis: a sixteenth of a point of the score, half a per cent of the sides. */
const STEPS = { score: 1 / 16, scale: 1 / 200 }

/** Number of intervals of the prior on the size axis. */
const PRIOR_POINTS = 8

/** The setting is the reduction of the score in points. The margin is ln(budget / bytes). */
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

/** The setting is the reduction of the sides, as a share. */
const SCALE_PROBLEM: SettingProblem = {
  axis: { min: 0, max: 1 - MIN_SCALE, step: STEPS.scale },
  prior: Array.from({ length: PRIOR_POINTS + 1 }, (_, i) => {
    const reduction = ((1 - MIN_SCALE) * i) / PRIOR_POINTS
    return [reduction, -BYTES_BY_SIDE * Math.log(1 - reduction)] as const
  }),
  slopeSpread: 0.5,
  noise: NOISE,
  tolerance: 2 * TOLERANCE,
  maxTrials: 7,
}

/** A final or an earlier result of a run. */
interface BudgetResult {
  readonly result: ResultFile
  readonly fits: boolean
  /** Whether a run ended with it. Earlier offers may be far below their target. */
  readonly isFinal: boolean
}

/** A result that fits wins, then one that ended its run, then the larger size and score. If neither fits, fewer bytes win. */
const betterResult = (best: BudgetResult | undefined, next: BudgetResult): BudgetResult => {
  if (best === undefined) return next
  if (next.fits !== best.fits) return next.fits ? next : best
  if (!next.fits) return next.result.bytes < best.result.bytes ? next : best
  if (next.isFinal !== best.isFinal) return next.isFinal ? next : best
  return rankOf(next.result) > rankOf(best.result) ? next : best
}

/** Ranks results by size, then by score. */
const rankOf = ({ width, height, score = 100 }: ResultFile): number => width * height * 1000 + score

/** The Warnings about a result and its budget. `first` is the result of the request's own plan, once that has ended. */
const warningsFor = (budget: number, result: ResultFile, first: ResultFile | undefined): readonly string[] => {
  const { bytes, score, width, height } = result
  if (bytes > budget) return [overBudgetWarning(budget, bytes)]
  if (first === undefined) return []
  const isResized = width !== first.width || height !== first.height
  return [
    budgetWarning(budget, {
      ...(score === undefined ? {} : { score }),
      ...(isResized ? { size: { width, height } } : {}),
    }),
  ]
}

/** Returns a function that copies a file to the job's own directory, since the pool accepts no other files. */
const copierTo = (job: Job<Plan>): ((path: string) => string) => {
  let count = 0
  return (path) => {
    if (dirname(path) === job.directory || path === job.path) return path
    const copy = join(job.directory, `kept-${++count}`)
    copyFileSync(path, copy)
    return copy
  }
}

/** Runs plans one after the other, each in its own directory, and keeps the best result. */
const openBudgetTrials = (job: Job<Plan>, report: Report, budget: number, run: Run) => {
  const copied = copierTo(job)
  let best: BudgetResult | undefined
  let first: ResultFile | undefined
  let count = 0
  let encodes = 0
  /** Offers a result with its Warnings if it is better than those before. */
  const keep = (result: ResultFile, isFinal: boolean): ResultFile => {
    const described = {
      ...result,
      path: copied(result.path),
      encodes: encodes + result.encodes,
      warnings: [...result.warnings, ...warningsFor(budget, result, first)],
    }
    const before = best
    best = betterResult(best, { result: described, fits: result.bytes <= budget, isFinal })
    if (best !== before) report.offer(described)
    return described
  }
  return {
    /** Returns the result of a plan. After the first plan, returns undefined if there is none, such as at the end of the time. */
    trial: async (plan: Plan): Promise<ResultFile | undefined> => {
      const directory = join(job.directory, `budget-${count++}`)
      await mkdir(directory)
      try {
        const result = await run(
          { ...job, plan, directory },
          { ...report, offer: (offered) => void keep(offered, false) },
        )
        const described = keep(result, true)
        encodes += result.encodes
        first ??= result
        return described
      } catch (error) {
        if (first === undefined) throw error
        return undefined
      }
    },
    best: (): ResultFile | undefined => best?.result,
    /** Whether the best result is final and fits. */
    fits: (): boolean => best?.fits === true && best.isFinal,
  }
}

type BudgetTrials = ReturnType<typeof openBudgetTrials>

/** The end of the search on one axis. `exceeds`: every trial exceeded the budget; the smallest one took `bytes`. */
type AxisEnd = { readonly kind: 'fits' | 'late' } | { readonly kind: 'exceeds'; readonly bytes: number }

/** Follows the solver on one axis, starting with known trials. */
const searchAxis = async (
  {
    problem,
    budget,
    known,
  }: { readonly problem: SettingProblem; readonly budget: number; readonly known: readonly SettingTrial[] },
  run: (setting: number) => Promise<ResultFile | undefined>,
  isOver: () => boolean,
): Promise<AxisEnd> => {
  const trials = [...known]
  for (;;) {
    const next = nextSetting(problem, trials)
    if (next.kind === 'stop') break
    if (isOver()) return { kind: 'late' }
    const result = await run(next.setting)
    if (result === undefined || result.cutShort === true) return { kind: 'late' }
    trials.push({ setting: next.setting, margin: Math.log(budget / result.bytes), bytes: result.bytes })
  }
  if (trials.some(({ margin }) => margin >= 0)) return { kind: 'fits' }
  return { kind: 'exceeds', bytes: Math.min(...trials.map(({ bytes = Number.POSITIVE_INFINITY }) => bytes)) }
}

/** Usual fall of ln(bytes) from the plan's size to half of it, with a score that is `points` lower. */
const usualReach = (points: number): number => points * RISE_PER_POINT - BYTES_BY_SIDE * Math.log(MIN_SCALE)

/**
 * Searches along the score, then along the size, then along both below `low`. Begins with the smallest result where the budget is
 * usually out of reach, and ends if it exceeds the budget. Returns false if the time ended.
 */
const searchLower = async (
  job: Job<Plan>,
  trials: BudgetTrials,
  first: ResultFile,
  isOver: () => boolean,
): Promise<boolean> => {
  const { plan } = job
  const budget = plan.maxBytes!
  const { min, max } = scoreRange(plan)
  const margin = Math.log(budget / first.bytes)
  const reduced = (reduction: number) =>
    trials.trial(atReduction(plan, first, { scale: 1 - reduction, below: reduction / (1 - MIN_SCALE) }))
  const reductions: SettingTrial[] = []
  if (-margin > usualReach(max - LEGIBLE_SCORE)) {
    if (isOver()) return false
    const setting = 1 - MIN_SCALE
    const smallest = await reduced(setting)
    if (smallest === undefined || smallest.cutShort === true) return false
    if (smallest.bytes > budget) return true
    reductions.push({ setting, margin: Math.log(budget / smallest.bytes), bytes: smallest.bytes })
  }
  // A lossless plan is not a point of the axis.
  const known = plan.target.kind === 'score' ? [{ setting: 0, margin, bytes: first.bytes }] : []
  let { bytes } = first
  if (max > min) {
    const lower = (reduction: number) => trials.trial(atScore(plan, max - reduction))
    const end = await searchAxis({ problem: scoreProblem(max - min), budget, known }, lower, isOver)
    if (end.kind !== 'exceeds') return end.kind === 'fits'
    bytes = end.bytes
  }
  const whole = { setting: 0, margin: Math.log(budget / bytes), bytes }
  const scaled = (reduction: number) => trials.trial(atReduction(plan, first, { scale: 1 - reduction, below: 0 }))
  const end = await searchAxis({ problem: SCALE_PROBLEM, budget, known: [whole] }, scaled, isOver)
  if (end.kind !== 'exceeds') return end.kind === 'fits'
  return (await searchAxis({ problem: SCALE_PROBLEM, budget, known: reductions }, reduced, isOver)).kind !== 'late'
}

/**
 * Returns the best result within the plan's budget, or of the plan itself without a budget. Lowers the quality down to `low`, then the
 * size down to a half, then both. If even the lowest legible score at half the size does not fit, returns the smallest result with a
 * warning.
 */
export const withinBudget = async (job: Job<Plan>, report: Report, run: Run): Promise<ResultFile> => {
  const { maxBytes } = job.plan
  if (maxBytes === undefined) return run(job, report)
  const trials = openBudgetTrials(job, report, maxBytes, run)
  const first = (await trials.trial(job.plan))!
  const isOver = (): boolean => report.deadline.signal.aborted
  const canLower = job.plan.formats[0] !== 'svg' && !trials.fits()
  const isDone = !canLower || (await searchLower(job, trials, first, isOver))
  const best = trials.best()!
  return isDone ? best : { ...best, cutShort: true }
}
