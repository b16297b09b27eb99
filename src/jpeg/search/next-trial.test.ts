import { describe, expect, it } from 'vitest'
import { typicalCurve } from '../../../test/jpeg/typical-curve.ts'
import { nextParameters, type Parameters, type SearchState, slackOfBracket, type TrialScore } from './next-trial.ts'
import { scoreAt } from './quality-prediction.ts'

type Encoder = (parameters: Parameters) => number
const known = { curve: typicalCurve, lowest: -60 }

/** Runs the decider against a made-up encoder. */
const chase = (scoreOf: Encoder, state: Omit<SearchState, 'curve' | 'lowest'>): TrialScore[] => {
  const trials: TrialScore[] = []
  for (;;) {
    const next = nextParameters(trials, { ...state, ...known })
    if (next.kind === 'done') return trials
    const { quality, lambdaScale } = next
    trials.push({ quality, lambdaScale, score: scoreOf(next) })
  }
}

const distortion = ({ lambdaScale }: Parameters, cost: number): number => cost * (0.76 - lambdaScale ** -1.5)
const encoders: Record<string, Encoder> = {
  'a typical photograph': (k) => 71 + (k.quality - 60) * 0.45 + distortion(k, 3),
  'a photograph that compresses badly': (k) => 62 + (k.quality - 60) * 0.6 + distortion(k, 5),
  'a smooth image': (k) => 82 + (k.quality - 66) * 0.3 + distortion(k, 1),
  'one that saturates': (k) => 100 - 90 * Math.exp(-(k.quality + 40) / 70) + distortion(k, 2),
  'one whose tables make it jump': (k) => 70 + Math.round((k.quality - 66) * 0.6) * 0.75 + distortion(k, 3),
}

describe('the search for the parameters', () => {
  for (const [name, scoreOf] of Object.entries(encoders)) {
    for (const target of [45, 60, 70, 85]) {
      it(`reaches ${target} from above within 0.3 on ${name} in at most six trials`, () => {
        const trials = chase(scoreOf, { target, slack: 0.3, trials: 6 })
        const reached = trials.filter((p) => p.score >= target).map((p) => p.score)
        expect(Math.min(...reached)).toBeLessThanOrEqual(target + 0.3)
      })
    }
  }

  it('needs one trial for an image that is as predicted', () => {
    expect(chase((k) => scoreAt(typicalCurve, k.quality), { target: 70, slack: 0.3, trials: 6 })).toHaveLength(1)
  })

  it('stays at the tables where lambda can reach the goal, and leaves them where it cannot', () => {
    const state: SearchState = { target: 70, slack: 0.3, trials: 6, ...known }
    const at = (score: number): TrialScore => ({ quality: 60, lambdaScale: 1.2, score })
    expect(nextParameters([at(69.4)], state)).toMatchObject({ kind: 'try', quality: 60 })
    expect(nextParameters([at(71)], state)).toMatchObject({ kind: 'try', quality: 60 })
    for (const [score, sign] of [
      [64, 1],
      [76, -1],
    ] as const) {
      const next = nextParameters([at(score)], state)
      expect(next).toMatchObject({ kind: 'try', lambdaScale: 1.2 })
      expect(next.kind === 'try' && Math.sign(next.quality - 60)).toBe(sign)
    }
  })

  it('changes the tables where what is lacking does not follow lambda', () => {
    const state: SearchState = { target: 70, slack: 0.3, trials: 6, ...known }
    const near: TrialScore[] = [{ quality: 60, lambdaScale: 1.2, score: 69.4 }]
    expect(nextParameters(near, state)).toMatchObject({ quality: 60 })
    const next = nextParameters(near, { ...state, onlyTables: true })
    expect(next.kind === 'try' && next.quality).toBeGreaterThan(60.5)
  })

  it('turns lambda after all where a trial keeps its contours and scores too little', () => {
    const state: SearchState = { target: 70, slack: 0.3, trials: 6, ...known, onlyTables: true }
    const near = { quality: 60, lambdaScale: 1.2, score: 69.4 }
    expect(nextParameters([{ ...near, place: 71 }], state)).toMatchObject({ quality: 60 })
    expect(nextParameters([{ ...near, place: 69.4 }], state)).not.toMatchObject({ quality: 60 })
  })

  it('goes on in larger steps where tables that are hardly others tell nothing', () => {
    const state: SearchState = { target: 70, slack: 0.3, trials: 9, ...known, onlyTables: true }
    const stuck = [60, 60.2, 60.4, 60.6, 60.8].map((quality) => ({ quality, lambdaScale: 1.2, score: 69.8 }))
    const stepAfter = (count: number): number => {
      const next = nextParameters(stuck.slice(0, count), state)
      return next.kind === 'try' ? next.quality - stuck[count - 1]!.quality : 0
    }
    expect(stepAfter(4)).toBeGreaterThan(1.2 * stepAfter(3))
    expect(stepAfter(5)).toBeGreaterThan(1.2 * stepAfter(4))
  })

  it('meets a goal between two strictnesses in between, not at either end', () => {
    const trial = (lambdaScale: number, score: number): TrialScore => ({ quality: 60, lambdaScale, score })
    const state: SearchState = { target: 70, slack: 0.3, trials: 6, ...known }
    const next = nextParameters([trial(1.2, 69.8), trial(1.8, 70.7)], state)
    expect(next.kind === 'try' && next.lambdaScale).toBeGreaterThan(1.25)
    expect(next.kind === 'try' && next.lambdaScale).toBeLessThan(1.7)
  })

  it('aims higher with its last two trials while nothing has reached the target', () => {
    const trial = (quality: number, score: number): TrialScore => ({ quality, lambdaScale: 1.2, score })
    const low = [trial(50, 68), trial(55, 69.2), trial(58, 69.6), trial(59, 69.8), trial(59.5, 69.9)]
    const at = (trials: number) => nextParameters(low, { target: 70, slack: 0.3, trials, ...known })
    const strength = (next: ReturnType<typeof at>): number =>
      next.kind === 'try' ? next.quality + next.lambdaScale : 0
    expect(strength(at(7))).toBeGreaterThan(strength(at(8)))
    expect(strength(at(6))).toBeGreaterThan(strength(at(7)))
  })

  it('begins where it is told to, when more is known than the curve', () => {
    const state: SearchState = { target: 70, slack: 0.3, trials: 7, ...known, start: 43 }
    expect(nextParameters([], state)).toMatchObject({ kind: 'try', quality: 43 })
  })

  it('ends where no quality is good enough, at the finest tables and great lambda', () => {
    const trials = chase((k) => 40 + k.quality * 0.01, { target: 90, slack: 0.2, trials: 7 })
    expect(trials.length).toBeLessThanOrEqual(7)
    expect(trials.at(-1)!.quality).toBe(99.5)
    expect(trials.at(-1)!.lambdaScale).toBeGreaterThan(1.2)
  })

  it('ends where every quality is too good', () => {
    const trials = chase(() => 95, { target: 60, slack: 0.3, trials: 7 })
    expect(trials.length).toBeLessThanOrEqual(7)
    expect(trials.at(-1)!.quality).toBe(-60)
  })

  it('spends no more trials than it is given', () => {
    let score = 60
    const restless = (): number => {
      score = score > 70 ? 60 : 80
      return score
    }
    expect(chase(restless, { target: 70, slack: 0.3, trials: 4 })).toHaveLength(4)
  })
})

describe('what another trial could still save', () => {
  const trial = (score: number, rateEstimate: number) => ({ quality: 60, lambdaScale: 1.2, score, rateEstimate })

  it('is not worth it where one that misses the target is hardly cheaper', () => {
    expect(slackOfBracket([trial(69.6, 975), trial(72, 1100), trial(71.2, 1000)], 70, 0.03)).toBeCloseTo(1.2)
    expect(slackOfBracket([trial(69.6, 975), trial(72, 1100), trial(71.2, 1000)], 70, 0.02)).toBe(0)
  })

  it.each([
    ['the one that misses it is much cheaper', [trial(69.6, 960), trial(71.2, 1000)]],
    ['none misses it', [trial(71.2, 1000), trial(71.3, 1010)]],
    ['none reaches it', [trial(69, 1000), trial(69.1, 1010)]],
    ['the one that misses it is dearer', [trial(69.6, 1010), trial(71.2, 1000)]],
  ])('is unknown where %s', (_where, trials) => {
    expect(slackOfBracket(trials, 70, 0.03)).toBe(0)
  })
})
