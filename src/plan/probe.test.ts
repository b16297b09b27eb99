import { describe, expect, it } from 'vitest'
import { type Axis, fitCurve, type Goal, interpolate, nextProbe, type Probe, settingFor } from './probe.ts'

const axis: Axis = {
  min: 1,
  max: 100,
  step: 1,
  curve: [
    [20, 10],
    [50, 45],
    [70, 70],
    [85, 90],
    [95, 99],
  ],
}
const goal: Goal = { score: 70.25, slack: 1 }

/** Runs a whole search on a simulated encoder and returns its probes. */
const simulate = (score: (setting: number) => number, most: number, wanted: Goal = goal): Probe[] => {
  const probes: Probe[] = []
  for (let left = 200; left > 0; left -= 1) {
    const next = nextProbe(axis, wanted, probes, most)
    if (next.kind === 'stop') return probes
    probes.push({ setting: next.setting, score: score(next.setting) })
  }
  throw new Error('the search did not end')
}
const best = (probes: Probe[], wanted: Goal = goal): Probe | undefined =>
  probes.filter((p) => p.score >= wanted.score).toSorted((a, b) => a.setting - b.setting)[0]
const typical = (setting: number): number =>
  interpolate(
    axis.curve.map(([s, q]) => [q, s] as const),
    setting,
  )

describe('nextProbe', () => {
  it('starts on the typical curve, a little above the goal', () => {
    expect(nextProbe(axis, goal, [], 3)).toEqual({ kind: 'try', setting: 71 })
  })

  it('needs one probe for a typical image', () => {
    expect(simulate(typical, 3)).toHaveLength(1)
  })

  it.each([-25, -14, -6, 6, 14])('finds the goal for an image that scores %d points off the curve', (offset) => {
    const probes = simulate((setting) => typical(setting) + offset, 4)
    expect(best(probes)).toBeDefined()
    expect(best(probes)!.score - goal.score).toBeLessThan(3)
    expect(probes.length).toBeLessThanOrEqual(6)
  })

  it('with time for it returns the lowest passing setting of any rising encoder', () => {
    for (let bend = 0.3; bend < 3; bend += 0.15) {
      const score = (setting: number): number => 100 * (setting / 100) ** bend
      const found = best(simulate(score, 50, { score: 70.25, slack: 0 }))!
      expect(score(found.setting - 1)).toBeLessThan(70.25)
      expect(found.score).toBeGreaterThanOrEqual(70.25)
    }
  })

  it('goes on past the limit while nothing has passed, up to the end of the axis', () => {
    expect(simulate(() => 12, 2).at(-1)!.setting).toBe(100)
  })

  it('goes down to the end of the axis when everything passes', () => {
    expect(simulate(() => 99, 50).at(-1)!.setting).toBe(1)
  })

  it('does not take noise between two settings for the pace of an image', () => {
    const probes = [
      { setting: 70, score: 69.75 },
      { setting: 71, score: 69.77 },
    ]
    const next = nextProbe(axis, goal, probes, 3)
    expect(next.kind === 'try' && next.setting).toBeLessThanOrEqual(73)
  })
})

describe('the typical curve', () => {
  const typicalAt = (score: number): number => interpolate(axis.curve, score)

  it('stays where nothing was measured', () => {
    expect(fitCurve(axis, [], 70)).toBe(axis.curve)
  })

  it('moves through one probe', () => {
    const curve = fitCurve(axis, [{ setting: 60, score: 70 }], 70)
    expect(interpolate(curve, 70)).toBeCloseTo(60, 9)
    expect(interpolate(curve, 80)).toBeCloseTo(typicalAt(80) - 10, 9)
  })

  it.each([0.7, 1.6])('stretches to the pace of two probes that lie apart (%d times the typical one)', (pace) => {
    const at = (score: number): number => 65 + (typicalAt(score) - typicalAt(65)) * pace
    const probes = [50, 65].map((score) => ({ score, setting: at(score) }))
    expect(interpolate(fitCurve(axis, probes, 70), 75)).toBeCloseTo(at(75), 9)
  })

  it('gives settings that the axis has', () => {
    expect([settingFor(axis, 70.2), settingFor(axis, -50), settingFor(axis, 200)]).toEqual([70, 1, 100])
  })
})
