import { describe, expect, it } from 'vitest'
import { type Aim, type Knobs, nextProbe, type Probe } from './aim.ts'

/** Runs the decider against a made-up encoder. */
const chase = (scoreOf: (knobs: Knobs) => number, aim: Aim): Probe[] => {
  const probes: Probe[] = []
  for (;;) {
    const next = nextProbe(probes, aim)
    if (next.kind === 'done') return probes
    const { quality, strictness } = next
    probes.push({ quality, strictness, score: scoreOf(next) })
  }
}

const strict = ({ strictness }: Knobs): number => 2 * Math.log(strictness)
const encoders: Record<string, (knobs: Knobs) => number> = {
  'a typical photograph': (k) => 70 + (k.quality - 66) * 0.9 + strict(k),
  'a photograph that compresses badly': (k) => 60 + (k.quality - 66) * 0.8 + strict(k),
  'a smooth image': (k) => 84 + (k.quality - 66) * 0.45 + strict(k),
  'one that saturates': (k) => 100 - 300 * Math.exp(-(k.quality + 40) / 40) + strict(k),
  'one that jumps': (k) => 70 + Math.round((k.quality - 66) * 1.2) * 0.75 + strict(k),
}

describe('the search for a quality', () => {
  for (const [name, scoreOf] of Object.entries(encoders)) {
    for (const target of [45, 60, 70, 85]) {
      it(`reaches ${target} from above within 0.3 on ${name} in at most six probes`, () => {
        const probes = chase(scoreOf, { target, slack: 0.3, probes: 6 })
        const reached = probes.filter((p) => p.score >= target).map((p) => p.score)
        expect(probes.length).toBeLessThanOrEqual(6)
        expect(Math.min(...reached)).toBeLessThanOrEqual(target + 0.3)
      })
    }
  }

  it('ends where no quality is good enough', () => {
    const probes = chase((k) => 40 + k.quality * 0.01, { target: 90, slack: 0.2, probes: 6 })
    expect(probes.length).toBeLessThanOrEqual(6)
    expect(probes.at(-1)!.quality).toBeGreaterThan(95)
  })

  it('needs one probe when the first is right', () => {
    expect(chase(() => 70.1, { target: 70, slack: 0.2, probes: 6 })).toHaveLength(1)
  })
})
