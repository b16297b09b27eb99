import { describe, expect, it } from 'vitest'
import { usualCurve } from '../../../test/jpeg/usual-curve.ts'
import { type Aim, type Knobs, nextKnobs, type Probe } from './next-trial.ts'
import { scoreAt } from './quality-prediction.ts'

type Encoder = (knobs: Knobs) => number
const known = { curve: usualCurve, lowest: -60 }

/** Runs the decider against a made-up encoder. */
const chase = (scoreOf: Encoder, aim: Omit<Aim, 'curve' | 'lowest'>): Probe[] => {
  const probes: Probe[] = []
  for (;;) {
    const next = nextKnobs(probes, { ...aim, ...known })
    if (next.kind === 'done') return probes
    const { quality, strictness } = next
    probes.push({ quality, strictness, score: scoreOf(next) })
  }
}

const harm = ({ strictness }: Knobs, cost: number): number => cost * (0.76 - strictness ** -1.5)
const encoders: Record<string, Encoder> = {
  'a typical photograph': (k) => 71 + (k.quality - 60) * 0.45 + harm(k, 3),
  'a photograph that compresses badly': (k) => 62 + (k.quality - 60) * 0.6 + harm(k, 5),
  'a smooth image': (k) => 82 + (k.quality - 66) * 0.3 + harm(k, 1),
  'one that saturates': (k) => 100 - 90 * Math.exp(-(k.quality + 40) / 70) + harm(k, 2),
  'one whose tables make it jump': (k) => 70 + Math.round((k.quality - 66) * 0.6) * 0.75 + harm(k, 3),
}

describe('the search for the knobs', () => {
  for (const [name, scoreOf] of Object.entries(encoders)) {
    for (const target of [45, 60, 70, 85]) {
      it(`reaches ${target} from above within 0.3 on ${name} in at most six probes`, () => {
        const probes = chase(scoreOf, { target, slack: 0.3, probes: 6 })
        const reached = probes.filter((p) => p.score >= target).map((p) => p.score)
        expect(Math.min(...reached)).toBeLessThanOrEqual(target + 0.3)
      })
    }
  }

  it('needs one probe for an image that is as foreseen', () => {
    expect(chase((k) => scoreAt(usualCurve, k.quality), { target: 70, slack: 0.3, probes: 6 })).toHaveLength(1)
  })

  it('stays at the tables where strictness can reach the goal, and leaves them where it cannot', () => {
    const aim: Aim = { target: 70, slack: 0.3, probes: 6, ...known }
    const at = (score: number): Probe => ({ quality: 60, strictness: 1.2, score })
    expect(nextKnobs([at(69.4)], aim)).toMatchObject({ kind: 'try', quality: 60 })
    expect(nextKnobs([at(71)], aim)).toMatchObject({ kind: 'try', quality: 60 })
    for (const [score, sign] of [
      [64, 1],
      [76, -1],
    ] as const) {
      const next = nextKnobs([at(score)], aim)
      expect(next).toMatchObject({ kind: 'try', strictness: 1.2 })
      expect(next.kind === 'try' && Math.sign(next.quality - 60)).toBe(sign)
    }
  })

  it('meets a goal between two strictnesses in between, not at either end', () => {
    const probe = (strictness: number, score: number): Probe => ({ quality: 60, strictness, score })
    const aim: Aim = { target: 70, slack: 0.3, probes: 6, ...known }
    const next = nextKnobs([probe(1.2, 69.8), probe(1.8, 70.7)], aim)
    expect(next.kind === 'try' && next.strictness).toBeGreaterThan(1.25)
    expect(next.kind === 'try' && next.strictness).toBeLessThan(1.7)
  })

  it('aims higher with its last two probes while nothing has reached the target', () => {
    const probe = (quality: number, score: number): Probe => ({ quality, strictness: 1.2, score })
    const low = [probe(50, 68), probe(55, 69.2), probe(58, 69.6), probe(59, 69.8), probe(59.5, 69.9)]
    const at = (probes: number) => nextKnobs(low, { target: 70, slack: 0.3, probes, ...known })
    const strength = (next: ReturnType<typeof at>): number => (next.kind === 'try' ? next.quality + next.strictness : 0)
    expect(strength(at(7))).toBeGreaterThan(strength(at(8)))
    expect(strength(at(6))).toBeGreaterThan(strength(at(7)))
  })

  it('begins where it is told to, when more is known than the curve', () => {
    const aim: Aim = { target: 70, slack: 0.3, probes: 7, ...known, start: 43 }
    expect(nextKnobs([], aim)).toMatchObject({ kind: 'try', quality: 43 })
  })

  it('ends where no quality is good enough, at the finest tables and great strictness', () => {
    const probes = chase((k) => 40 + k.quality * 0.01, { target: 90, slack: 0.2, probes: 7 })
    expect(probes.length).toBeLessThanOrEqual(7)
    expect(probes.at(-1)!.quality).toBe(99.5)
    expect(probes.at(-1)!.strictness).toBeGreaterThan(1.2)
  })

  it('ends where every quality is too good', () => {
    const probes = chase(() => 95, { target: 60, slack: 0.3, probes: 7 })
    expect(probes.length).toBeLessThanOrEqual(7)
    expect(probes.at(-1)!.quality).toBe(-60)
  })

  it('spends no more probes than it is given', () => {
    let score = 60
    const restless = (): number => {
      score = score > 70 ? 60 : 80
      return score
    }
    expect(chase(restless, { target: 70, slack: 0.3, probes: 4 })).toHaveLength(4)
  })
})
