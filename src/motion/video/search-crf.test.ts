import { describe, expect, it } from 'vitest'
import { deadlineIn } from '../../core/deadline.ts'
import type { ResultFile } from '../../core/outcome.ts'
import { MISSED } from '../../plan/winner.ts'
import type { EncoderEffort } from './efforts.ts'
import { type CrfSearch, searchCrf } from './search-crf.ts'

const EFFORT: EncoderEffort = {
  name: 'only',
  secondsPerMegapixel: 0,
  mostPixels: Number.POSITIVE_INFINITY,
  passes: [[]],
}
const MADE: ResultFile = {
  format: 'h264',
  path: '',
  bytes: 1,
  width: 2,
  height: 2,
  frames: 1,
  warnings: [],
  encodes: 1,
}

/** Searches on a curve of scores by crf; the tried numbers and the result, whose bytes are its crf unless a curve is given. */
const search = async (
  scoreAt: (crf: number) => number,
  changes: Partial<CrfSearch> = {},
  bytesAt: (crf: number) => number = (crf) => crf,
) => {
  const tried: number[] = []
  const file = await searchCrf({
    choose: () => ({ effort: EFFORT, timeLimited: false }),
    crf: 24,
    axis: { lowest: 10, highest: 40, step: 0.5, scorePerCrf: 2.5 },
    goal: 70,
    most: 6,
    deadline: deadlineIn(60_000),
    offer: () => undefined,
    encode: (_, crf, encodes) => {
      tried.push(crf)
      return Promise.resolve({
        file: { ...MADE, bytes: bytesAt(crf), encodes },
        crf,
        effectiveScore: scoreAt(crf),
        seconds: 0,
      })
    },
    ...changes,
  })
  return { tried, file }
}

describe('the search for a quality number of video', () => {
  it('ends with the first trial where its score is just above the goal', async () =>
    expect(await search(() => 70.5)).toMatchObject({ tried: [24], file: { bytes: 24, encodes: 1 } }))

  describe('with a quick effort before it', () => {
    const quick = { ...EFFORT, name: 'quick' }
    /** Bytes fall with the crf and the score by 2.5 points a crf, from 60; the quick effort takes twice the bytes. */
    const searchBoth = async (sizeBound: CrfSearch['sizeBound'], changes: Partial<CrfSearch> = {}) => {
      const tried: string[] = []
      const { file } = await search(() => 0, {
        quick,
        sizeBound,
        most: 4,
        encode: ({ name }, crf, encodes) => {
          tried.push(`${name} ${crf}`)
          const bytes = Math.round((name === 'quick' ? 2000 : 1000) * Math.exp(-0.1 * (crf - 24)))
          const effectiveScore = 60 - 2.5 * (crf - 24)
          return Promise.resolve({ file: { ...MADE, path: name, bytes, encodes }, crf, effectiveScore, seconds: 0 })
        },
        ...changes,
      })
      return { tried, file }
    }

    it('begins with the crf that the quick effort found below the size bound, and never tries a lower quality number', async () => {
      const { tried, file } = await searchBoth({ maxBytes: 1000, lowestGoal: 50 })
      const usual = tried.filter((name) => name.startsWith('only'))
      const quickly = tried.filter((name) => name.startsWith('quick'))
      expect(quickly[0]).toBe('quick 24')
      expect(usual[0]).toBe(quickly.at(-1)!.replace('quick', 'only'))
      expect(file).toMatchObject({ path: 'only', encodes: tried.length })
      expect(file.bytes).toBeLessThan(1000)
      expect(file.warnings[0]).toContain('not smaller than the source')
    })

    it('searches the goal where the better effort may reach it below the size bound', async () => {
      const { tried, file } = await searchBoth({ maxBytes: 1600, lowestGoal: 50 })
      expect(file).toMatchObject({ path: 'only', bytes: 1492, warnings: [], encodes: tried.length })
    })

    it('chooses the better effort after the quick one', async () => {
      const order: string[] = []
      const encodeLate: CrfSearch['encode'] = ({ name }) => {
        order.push(name)
        return Promise.resolve(undefined)
      }
      const choose = () => {
        order.push('choose')
        return { effort: EFFORT, timeLimited: false }
      }
      await searchBoth(
        { maxBytes: 1600, lowestGoal: 50 },
        { safeguard: { ...MADE, bytes: 2000 }, encode: encodeLate, choose },
      )
      expect(order.slice(-3)).toEqual(['quick', 'choose', 'only'])
    })

    it('is as without it where no better effort fits the time', async () => {
      const bound = { maxBytes: 1000, lowestGoal: 50 }
      const changes = { choose: () => ({ effort: quick, timeLimited: true }), most: 2 }
      const { tried, file } = await searchBoth(bound, changes)
      const alone = await searchBoth(bound, { ...changes, quick: undefined })
      expect([tried, file]).toEqual([alone.tried, alone.file])
    })

    it('continues from the quick file, and repeats none, where no time is left for a better effort', async () => {
      let left = 1
      const choose = () => ({ effort: left-- > 0 ? EFFORT : quick, timeLimited: true })
      const { tried, file } = await searchBoth({ maxBytes: 1600, lowestGoal: 50 }, { choose })
      expect(new Set(tried).size).toBe(tried.length)
      expect(file).toMatchObject({ path: 'quick', cutShort: true, encodes: tried.length })
      expect(file.bytes).toBeLessThan(1600)
      expect(file.warnings).toHaveLength(1)
    })

    it('is as without it where the first quick file is below the size bound', async () => {
      const bound = { maxBytes: 5000, lowestGoal: 50 }
      const { tried } = await searchBoth(bound)
      const { tried: alone } = await searchBoth(bound, { quick: undefined })
      expect(tried).toEqual(['quick 24', ...alone])
    })

    it.each([
      ['misses the goal', 60],
      ['reaches the goal', 75],
    ])('returns its first file, and offers it, where that %s below the size bound and the better does not end', async (_, score) => {
      const offered: ResultFile[] = []
      const encode: CrfSearch['encode'] = ({ name }, crf, encodes) =>
        Promise.resolve(
          name === 'quick'
            ? { file: { ...MADE, bytes: 900, encodes }, crf, effectiveScore: score, seconds: 0 }
            : undefined,
        )
      const changes = { encode, offer: (file: ResultFile) => offered.push(file), safeguard: { ...MADE, bytes: 2000 } }
      const { file } = await searchBoth({ maxBytes: 1000, lowestGoal: 50 }, changes)
      expect(offered).toMatchObject([{ bytes: 900 }])
      expect(file).toEqual({ ...MADE, bytes: 900, encodes: 2, cutShort: true })
    })

    it('returns a later file that reaches the goal below the size bound where the better effort does not end', async () => {
      const encode: CrfSearch['encode'] = ({ name }, crf, encodes) =>
        Promise.resolve(
          name === 'quick'
            ? { file: { ...MADE, bytes: 2600 - 50 * crf, encodes }, crf, effectiveScore: 100 - crf, seconds: 0 }
            : undefined,
        )
      const { file } = await searchBoth({ maxBytes: 1300, lowestGoal: 50 }, { encode })
      expect(file).toMatchObject({ cutShort: true, warnings: [] })
      expect(file.bytes).toBeLessThan(1300)
      expect(file.encodes).toBeGreaterThan(1)
    })

    it('returns what the quick effort found where no time is left for the usual one', async () => {
      const encode: CrfSearch['encode'] = ({ name }, crf, encodes) =>
        Promise.resolve(
          name === 'quick'
            ? { file: { ...MADE, bytes: 3000 - 50 * crf, encodes }, crf, effectiveScore: 60, seconds: 0 }
            : undefined,
        )
      const { file } = await searchBoth({ maxBytes: 1500, lowestGoal: 50 }, { encode })
      expect(file.cutShort).toBe(true)
      expect(file.bytes).toBeLessThan(1500)
    })
  })

  describe('with alternatives and a finish', () => {
    const alternatives = ['second', 'third'].map((name) => ({ ...EFFORT, name }))
    const choice = { effort: { ...EFFORT, alternatives }, timeLimited: false }
    /** Bytes by the name of an effort; the score falls by a point a crf, from 75. */
    const bytesOf = { only: 1000, second: 980, third: 900, 'third finished': 850 }
    const searchWays = async (changes: Partial<CrfSearch>, bytes: Readonly<Record<string, number>> = bytesOf) => {
      const tried: string[] = []
      const { file } = await search(() => 0, {
        choose: () => choice,
        most: 2,
        encode: ({ name }, crf, encodes) => {
          tried.push(name)
          const effectiveScore = 75 - (crf - 24)
          return Promise.resolve({
            file: { ...MADE, path: name, bytes: bytes[name]! - crf, encodes },
            crf,
            effectiveScore,
            seconds: 0,
          })
        },
        ...changes,
      })
      return { tried, file }
    }

    it.each([
      ['goes on with the alternative that takes the fewest bytes at an equal score', bytesOf, 'third'],
      ['keeps the effort where its alternatives take more bytes', { only: 800, second: 900, third: 900 }, 'only'],
    ])('%s', async (_, bytes, expected) => {
      const { tried, file } = await searchWays({}, bytes)
      expect(tried).toEqual(['only', 'second', 'third', expected])
      expect(file).toMatchObject({ path: expected, encodes: 4 })
    })

    it.each([
      ['returns the slower encode of the setting that it found', bytesOf, 'third finished'],
      ['keeps what it found where the slower encode is larger', { ...bytesOf, 'third finished': 990 }, 'third'],
    ])('%s', async (_, bytes, expected) => {
      const finishing = { ...choice, effort: { ...choice.effort, finish: ['-slow'] } }
      const { tried, file } = await searchWays({ choose: () => finishing, most: 1 }, bytes)
      expect(tried.slice(0, 4)).toEqual(['only', 'second', 'third', 'third finished'])
      expect(file).toMatchObject({ path: expected, encodes: tried.length, warnings: [] })
    })

    it('leaves both out, and is cut short, where the whole search may have no time for them', async () => {
      const finishing = { ...choice, effort: { ...choice.effort, finish: ['-slow'] } }
      const tried: string[] = []
      const { file } = await search(() => 0, {
        choose: () => finishing,
        encode: ({ name }, crf, encodes) => {
          tried.push(name)
          return Promise.resolve({ file: { ...MADE, encodes }, crf, effectiveScore: 70.5, seconds: 20 })
        },
      })
      expect([tried, file.cutShort]).toEqual([['only'], true])
    })
  })

  it('moves towards more loss while the goal is exceeded and towards less while it is missed', async () => {
    const exceeding = await search(() => 80, { most: 2 })
    expect(exceeding.tried[1]).toBeGreaterThan(26)
    const missing = await search(() => 65, { most: 2 })
    expect(missing.tried[1]).toBeLessThan(23)
  })

  it('returns the highest number that reaches the goal, wherever among the trials it is', async () => {
    for (const [slope, shift] of [0.9, 1.6, 2.5, 4].flatMap((slope) => [-12, -5, 0, 7].map((by) => [slope, by]))) {
      const scoreAt = (crf: number): number => 70 - slope! * (crf - 26 - shift!)
      const { tried, file } = await search(scoreAt, { most: 8 })
      expect(new Set(tried).size).toBe(tried.length)
      expect(scoreAt(file.bytes)).toBeGreaterThanOrEqual(70)
      expect(scoreAt(file.bytes + 0.5)).toBeLessThan(71)
    }
  })

  it('ends at the end of the axis, and reports a goal that no number reaches', async () => {
    expect((await search(() => 99, { most: 20 })).tried.at(-1)).toBe(40)
    const missed = await search((crf) => 60 - crf, { most: 20 })
    expect(missed.file).toMatchObject({ bytes: 10, warnings: [MISSED] })
  })

  it('returns the trial nearest to the goal where the allowed trials reach it with none', async () =>
    expect((await search((crf) => 60 - crf, { most: 1 })).file).toMatchObject({ bytes: 24, warnings: [MISSED] }))

  it('encodes once where nothing is scored', async () =>
    expect((await search(() => Number.NaN, { goal: undefined })).tried).toEqual([24]))
})

describe('a search without time for one encode', () => {
  const late = { encode: () => Promise.resolve(undefined) }

  it('returns the quick encode that was made first, cut short', async () =>
    expect((await search(() => 0, { ...late, safeguard: MADE })).file).toEqual({ ...MADE, cutShort: true }))

  it('fails with WORK_TOO_SLOW where there is none', async () =>
    await expect(search(() => 0, late)).rejects.toMatchObject({ code: 'WORK_TOO_SLOW' }))
})

describe('a video with a bound of bytes', () => {
  const scoreAt = (crf: number): number => 70 - 2.5 * (crf - 22)
  const bytesAt = (crf: number): number => Math.round(100_000 * Math.exp(-0.11 * (crf - 22)))
  const bounded = (maxBytes: number, lowestGoal = 50) =>
    search(scoreAt, { sizeBound: { maxBytes, lowestGoal } }, bytesAt)

  it('is the one that reaches the goal where that is small enough', async () => {
    const { file, tried } = await bounded(120_000)
    expect([file.warnings, tried]).toEqual([[], (await search(scoreAt)).tried])
    expect(file.bytes).toBeGreaterThan(90_000)
  })

  it('has the lowest goal where only that is small enough, and says so', async () => {
    const { file } = await bounded(60_000)
    expect(file.bytes).toBeLessThan(60_000)
    expect(file.bytes).toBeGreaterThanOrEqual(bytesAt(30))
    expect(file.warnings.join()).toMatch(/it is made at quality=low \(SSIMULACRA 5\d\.\d for 70\)/)
  })

  it.each([
    90_000, 40_000, 25_000,
  ])('is the best below %i bytes where no goal is reached there, and says so', async (maxBytes) => {
    const { file, tried } = await bounded(maxBytes, 69)
    expect(file.bytes).toBeLessThan(maxBytes)
    expect(file.bytes).toBeGreaterThan(0.85 * maxBytes)
    expect(file.warnings.join()).toMatch(/the best that is smaller \(SSIMULACRA \d+\.\d for 70\)/)
    expect(file.encodes).toBe(tried.length)
    expect(new Set(tried).size).toBe(tried.length)
  })

  it('is larger where no crf is small enough', async () => {
    const { file } = await bounded(100)
    expect([file.bytes > 100, file.warnings]).toEqual([true, [MISSED]])
  })

  it('does not search a goal whose files are too large any further', async () =>
    expect((await bounded(70_000)).tried.every((crf) => crf >= 24)).toBe(true))

  it('is a tried one below the bound where time ends the search', async () => {
    let left = 1
    const deadline = { ...deadlineIn(60_000), remaining: () => (left-- > 0 ? 60_000 : -1) }
    const { file } = await search(scoreAt, { deadline, sizeBound: { maxBytes: 90_000, lowestGoal: 69 } }, bytesAt)
    expect(file).toMatchObject({ cutShort: true, bytes: bytesAt(24) })
  })
})
