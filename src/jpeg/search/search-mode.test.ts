import { describe, expect, it } from 'vitest'
import { type Curve, valueAt } from '../../search/curve.ts'
import { type EncoderSearch, searchMode } from './search-mode.ts'
import type { JpegTrial, Trials } from './trials.ts'

const curve: Curve = [
  [-20, 42],
  [50, 66],
  [94, 90],
]

interface SyntheticImage {
  readonly scoreAt: (strength: number) => number
  readonly tileScoreAt?: (strength: number) => number
  /** Butteraugli's norm for each point that the score lacks of 100. */
  readonly normPerPoint?: number
  /** The prediction of it. */
  readonly expectedNormPerPoint?: number
}

/** A search of a synthetic encoder at a target of 70, and the names of its measurements in order. */
const openSynthetic = (
  { scoreAt, tileScoreAt = () => 100, normPerPoint = 0.01, expectedNormPerPoint = 0.01 }: SyntheticImage,
  maxBytes?: number,
) => {
  const measured: string[] = []
  const maker: Trials = {
    make: (setting, strength): JpegTrial => {
      measured.push('score')
      const score = scoreAt(strength)
      return { setting, strength, score, bytes: 1000 * Math.exp(strength / 40), margins: { score: score - 70 } }
    },
    measureTiles: (trial) => {
      measured.push('tiles')
      const tileScore = tileScoreAt(trial.strength)
      const tiles = tileScore < 70 ? tileScore - 70 : Number.POSITIVE_INFINITY
      return { ...trial, tileScore, margins: { ...trial.margins, tiles } }
    },
    measureButteraugli: (trial) => {
      measured.push('butteraugli')
      const norm = normPerPoint * (100 - trial.score)
      return { ...trial, norm, margins: { ...trial.margins, butteraugli: 1.5 / normPerPoint - (100 - trial.score) } }
    },
    restore: () => undefined,
  }
  const search: EncoderSearch = {
    goal: { target: 70, butteraugli: 1.5, ...(maxBytes === undefined ? {} : { maxBytes }) },
    bounds: ['score', 'tiles', 'butteraugli'],
    size: { width: 800, height: 600 },
    curve,
    level: Math.log(expectedNormPerPoint),
    maker,
    counts: { trials: 0, comparisons: 0 },
    trials: [],
  }
  return { search, measured }
}
const usual = (strength: number): number => valueAt(curve, strength)
const mode = { smooth: 0, start: 57 } as const

describe('the search of one mode', () => {
  it('takes one trial for a predicted image, and measures the cheapest bound first', () => {
    const { search, measured } = openSynthetic({ scoreAt: usual })
    expect(searchMode(search, { ...mode, start: 58 })).toEqual({ kind: 'done' })
    expect(measured).toEqual(['score', 'tiles', 'butteraugli'])
  })

  it('ends at medium with a trial that another one could undercut by less than 8 %', () => {
    const { search } = openSynthetic({ scoreAt: (strength) => usual(strength) + 2 })
    searchMode(search, mode)
    expect(search.trials.map(({ margins }) => margins.score!.toFixed(1))).toEqual(['1.8'])
  })

  it('finds the smallest strength that keeps the score of an image that is 5 points worse', () => {
    const { search } = openSynthetic({ scoreAt: (strength) => usual(strength) - 5 })
    searchMode(search, mode)
    const best = Math.min(...search.trials.filter(({ score }) => score >= 70).map(({ score }) => score))
    expect(best).toBeLessThan(71.5)
  })

  it('goes on from a comparison that shows that Butteraugli binds', () => {
    const { search } = openSynthetic({ scoreAt: usual, normPerPoint: 0.06 })
    expect(searchMode(search, mode)).toEqual({ kind: 'done' })
    const kept = search.trials.filter(({ margins }) => (margins.butteraugli ?? -1) >= 0)
    expect(kept.length).toBeGreaterThan(0)
    expect(Math.min(...kept.map(({ score }) => score))).toBeLessThan(77)
  })

  it('compares the first trial by Butteraugli at once where that bound is expected to bind', () => {
    const { search, measured } = openSynthetic({
      scoreAt: (strength) => usual(strength) + 3,
      normPerPoint: 0.065,
      expectedNormPerPoint: 0.055,
    })
    expect(searchMode(search, { ...mode, start: 67 })).toEqual({ kind: 'done' })
    expect(measured).toEqual(['score', 'tiles', 'butteraugli'])
  })

  it('asks for protection when only the tiles of a trial miss their bound', () => {
    const { search } = openSynthetic({ scoreAt: usual, tileScoreAt: () => 66 })
    expect(searchMode(search, mode)).toMatchObject({ kind: 'protect', smooth: 1 })
  })

  it('needs no protection where tiles keep their bounds close to the target', () => {
    const { search } = openSynthetic({ scoreAt: usual, tileScoreAt: (strength) => (strength < 59 ? 69.3 : 72) })
    expect(searchMode(search, { ...mode, start: 58 })).toEqual({ kind: 'done' })
    expect(search.trials.some(({ margins }) => margins.tiles === Number.POSITIVE_INFINITY)).toBe(true)
  })

  it('ends where every file would exceed `maxBytes`', () => {
    const { search } = openSynthetic({ scoreAt: usual }, 1000)
    expect(searchMode(search, mode)).toEqual({ kind: 'too-large' })
    expect(search.trials).toHaveLength(1)
  })
})
