import { describe, expect, it } from 'vitest'
import { deadlineIn } from '../../core/deadline.ts'
import type { Made } from '../../core/outcome.ts'
import { MISSED } from '../../plan/winner.ts'
import type { EncoderEffort } from './efforts.ts'
import { type CrfSearch, searchCrf } from './search-crf.ts'

const EFFORT: EncoderEffort = {
  name: 'only',
  secondsPerMegapixel: 0,
  mostPixels: Number.POSITIVE_INFINITY,
  passes: [[]],
}
const MADE: Made = { format: 'h264', path: '', bytes: 1, width: 2, height: 2, frames: 1, warnings: [], encodes: 1 }

/** Searches on a curve of scores by crf; the tried numbers and the result, whose bytes are its crf. */
const search = async (scoreAt: (crf: number) => number, changes: Partial<CrfSearch> = {}) => {
  const tried: number[] = []
  const made = await searchCrf({
    choice: { efforts: [EFFORT], timeLimited: false },
    crf: 24,
    axis: { lowest: 10, highest: 40, step: 0.5, scorePerCrf: 2.5 },
    goal: 70,
    most: 6,
    deadline: deadlineIn(60_000),
    offer: () => undefined,
    encode: (_, crf, encodes) => {
      tried.push(crf)
      return Promise.resolve({
        made: { ...MADE, bytes: crf, encodes },
        crf,
        effectiveScore: scoreAt(crf),
        seconds: 0,
      })
    },
    ...changes,
  })
  return { tried, made }
}

describe('the search for a quality number of video', () => {
  it('ends with the first trial where its score is just above the goal', async () =>
    expect(await search(() => 70.5)).toMatchObject({ tried: [24], made: { bytes: 24, encodes: 1 } }))

  it('moves towards more loss while the goal is exceeded and towards less while it is missed', async () => {
    const exceeding = await search(() => 80, { most: 2 })
    expect(exceeding.tried[1]).toBeGreaterThan(26)
    const missing = await search(() => 65, { most: 2 })
    expect(missing.tried[1]).toBeLessThan(23)
  })

  it('returns the highest number that reaches the goal, wherever among the trials it is', async () => {
    for (const [slope, shift] of [0.9, 1.6, 2.5, 4].flatMap((slope) => [-12, -5, 0, 7].map((by) => [slope, by]))) {
      const scoreAt = (crf: number): number => 70 - slope! * (crf - 26 - shift!)
      const { tried, made } = await search(scoreAt, { most: 8 })
      expect(new Set(tried).size).toBe(tried.length)
      expect(scoreAt(made.bytes)).toBeGreaterThanOrEqual(70)
      expect(scoreAt(made.bytes + 0.5)).toBeLessThan(71)
    }
  })

  it('ends at the end of the axis, and reports a goal that no number reaches', async () => {
    expect((await search(() => 99, { most: 20 })).tried.at(-1)).toBe(40)
    const missed = await search((crf) => 60 - crf, { most: 20 })
    expect(missed.made).toMatchObject({ bytes: 10, warnings: [MISSED] })
  })

  it('returns the trial nearest to the goal where the allowed trials reach it with none', async () =>
    expect((await search((crf) => 60 - crf, { most: 1 })).made).toMatchObject({ bytes: 24, warnings: [MISSED] }))

  it('encodes once where nothing is scored', async () =>
    expect((await search(() => Number.NaN, { goal: undefined })).tried).toEqual([24]))
})
