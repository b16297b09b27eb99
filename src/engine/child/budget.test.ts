import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { LIMITS, optionsOf, sourceOf } from '../../../test/plan-samples.ts'
import { deadlineIn } from '../../core/deadline.ts'
import type { Job, ResultFile } from '../../core/outcome.ts'
import { makePlan } from '../../plan/make-plan.ts'
import type { Plan } from '../../plan/plan.ts'
import { withinBudget } from './budget.ts'

const BUDGET = 1000
/** Path of the source. No test reads it. */
const SOURCE = '/source'
/** A search that ends at the target takes this many bytes, by its score. */
const bytesAt = (score: number): number => Math.round(20 * score)

/** The share of the bytes that a width takes. */
type ShareOf = (width: number) => number

type Run = Parameters<typeof withinBudget>[2]

const resultOf = (bytes: number, score: number, width = 400): ResultFile => ({
  format: 'jpeg',
  path: SOURCE,
  bytes,
  width,
  height: (width * 3) / 4,
  frames: 1,
  score,
  encodes: 1,
  warnings: [],
})

/** Searches for the budget with a run in place of the engine. */
const search = async (run: Run): Promise<ResultFile> => {
  const directory = await mkdtemp(join(tmpdir(), 'budget-'))
  const facts = sourceOf({ format: 'jpeg' })
  const accept = { acceptWebp: false, acceptAvif: false, canEncodeAnimatedAvif: false }
  const plan: Plan = { ...makePlan(optionsOf(), facts, { limits: LIMITS, ...accept }), maxBytes: BUDGET }
  const job: Job<Plan> = { path: SOURCE, facts, plan, directory, budget: 30_000 }
  try {
    const report = { deadline: deadlineIn(30_000), offer: () => undefined, stage: () => undefined }
    return await withinBudget(job, report, run)
  } finally {
    await rm(directory, { recursive: true })
  }
}

/** Searches with runs that offer a draft before the result of their target. */
const runWithDrafts = (
  draft: { readonly bytes: number; readonly score: number },
  shareOf: ShareOf = (width) => (width / 400) ** 2,
): Promise<ResultFile> =>
  search(async ({ plan: { target, resize } }, { offer }) => {
    const score = target.kind === 'score' ? target.score : 100
    const width = resize.kind === 'box' ? (resize.width ?? 400) : 400
    offer(resultOf(draft.bytes, draft.score, width))
    return resultOf(Math.round(bytesAt(score) * shareOf(width)), score, width)
  })

it('a draft within the budget does not end the search, and does not become the result', async () => {
  // The preset takes 1,400 bytes, and the target of `low` 1,100: a smaller size is the answer.
  const result = await runWithDrafts({ bytes: 900, score: 20 })
  expect(result.score).toBeGreaterThan(50)
  expect(result.bytes).toBeLessThanOrEqual(BUDGET)
  expect(result.width).toBeLessThan(400)
  expect(result.warnings.join()).toContain('lowered the quality')
})

it('lowers the quality below low together with the size where half the size at low exceeds the budget', async () => {
  // A smaller size saves nothing: the score of low takes 1,100 bytes at each.
  const result = await runWithDrafts({ bytes: 2000, score: 20 }, () => 1)
  expect(result.bytes).toBeLessThanOrEqual(BUDGET)
  expect(result.bytes).toBeGreaterThan(BUDGET * 0.9)
  expect(result.score).toBeLessThan(55)
  expect(result.width).toBeLessThan(400)
})

it('ends at the lowest legible score and half the size with the number of bytes that they take', async () => {
  const result = await runWithDrafts({ bytes: 2000, score: 20 }, () => 2)
  expect([result.bytes, result.score, result.width]).toEqual([1200, 30, 200])
  expect(result.warnings.join()).toContain('this is the smallest result, of 1200 bytes')
})

it('rejects with the error of a first run that fails after an offer', async () => {
  const run: Run = async (_job, { offer }) => {
    offer(resultOf(2000, 60))
    throw new Error('the encoder failed')
  }
  await expect(search(run)).rejects.toThrow('the encoder failed')
})

it('takes one run more where even the smallest result exceeds the budget by far', async () => {
  const widths: number[] = []
  const result = await search(async ({ plan: { resize } }) => {
    const width = resize.kind === 'box' ? (resize.width ?? 400) : 400
    widths.push(width)
    return resultOf(100 * width, 70, width)
  })
  expect(widths).toEqual([400, 200])
  expect(result.bytes).toBe(20_000)
})

it('measures no point twice where only the smallest result fits', async () => {
  const points: string[] = []
  const result = await search(async ({ plan: { target, resize } }) => {
    const score = target.kind === 'score' ? target.score : 100
    const width = resize.kind === 'box' ? (resize.width ?? 400) : 400
    points.push(`${score} at ${width}`)
    return resultOf(width === 200 && score === 30 ? BUDGET - 10 : 20 * BUDGET, score, width)
  })
  expect(result.bytes).toBe(BUDGET - 10)
  expect(points).toContain('30 at 200')
  expect(points).toHaveLength(new Set(points).size)
})

it('finds the best quality within a budget that seems out of reach', async () => {
  // Bytes fall far faster with the score than usual: a score of 60 fits.
  const result = await search(async ({ plan: { target } }) => {
    const score = target.kind === 'score' ? target.score : 100
    return resultOf(Math.round(BUDGET * Math.exp((score - 60) / 2)), score)
  })
  expect(result.score).toBeGreaterThan(59)
  expect(result.bytes).toBeLessThanOrEqual(BUDGET)
})
