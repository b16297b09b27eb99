import { describe, expect, it } from 'vitest'
import { type Curve, clamp, valueAt } from './curve.ts'
import { nextSetting, smallestPassing } from './find-setting.ts'
import type { SettingProblem, SettingTrial, StopReason } from './setting-problem.ts'

/** An encoder of 100 settings whose usual image passes from 60 on. */
const usual: Curve = [
  [0, -40],
  [30, -15],
  [60, 0],
  [85, 15],
  [100, 28],
]
const problem: SettingProblem = {
  axis: { min: 1, max: 100, step: 1 },
  prior: usual,
  slopeSpread: 0.35,
  noise: 0.2,
  tolerance: 1,
  maxTrials: 6,
}
/** The same without an end but the closed bracket. */
const exact: SettingProblem = { ...problem, tolerance: 0, noise: 0, maxTrials: 100 }

interface Solved {
  readonly trials: readonly SettingTrial[]
  readonly reason: StopReason
}

/** Runs the solver on a synthetic encoder. */
const solve = (
  wanted: SettingProblem,
  marginAt: (setting: number) => number,
  bytesAt?: (setting: number) => number,
): Solved => {
  const trials: SettingTrial[] = []
  while (trials.length < 200) {
    const next = nextSetting(wanted, trials)
    if (next.kind === 'stop') return { trials, reason: next.reason }
    const { setting } = next
    trials.push({ setting, margin: marginAt(setting), ...(bytesAt && { bytes: bytesAt(setting) }) })
  }
  throw new Error('The search did not end.')
}
const foundBy = (solved: Solved): number | undefined => smallestPassing(solved.trials)?.setting

/** Repeatable noise between -1 and 1. */
const noiseAt = (setting: number): number => {
  const x = Math.sin(setting * 127.1 + 11.7) * 43758.5453
  return 2 * (x - Math.floor(x)) - 1
}

describe('the solver on smooth curves', () => {
  it('needs one trial where the prior is right', () => {
    expect(solve(problem, (setting) => valueAt(usual, setting))).toMatchObject({
      trials: { length: 1 },
      reason: 'tolerance',
    })
  })

  it.each([-20, -8, -3, 3, 8])('finds a curve that is shifted by %d points within four trials', (shift) => {
    const solved = solve(problem, (setting) => valueAt(usual, setting) + shift)
    expect(solved.trials.length).toBeLessThanOrEqual(4)
    expect(smallestPassing(solved.trials)!.margin).toBeLessThanOrEqual(1.5)
  })

  it.each([0.4, 0.7, 1.5, 2.5])('finds a curve that is %d times as steep', (pace) => {
    const solved = solve(problem, (setting) => valueAt(usual, setting) * pace - 4)
    expect(solved.trials.length).toBeLessThanOrEqual(5)
    expect(smallestPassing(solved.trials)!.margin).toBeLessThanOrEqual(2)
  })

  it('returns the smallest passing setting of any rising curve where the tolerance is 0', () => {
    for (let first = 1; first <= 100; first += 1)
      expect(foundBy(solve(exact, (setting) => setting - first + 0.5))).toBe(first)
  })

  it('needs few trials for an exact answer where margins are known', () => {
    for (let first = 1; first <= 100; first += 7)
      expect(solve(exact, (setting) => 0.7 * (setting - first) + 0.3).trials.length).toBeLessThanOrEqual(8)
  })
})

describe('the solver on difficult curves', () => {
  it('finds the edge of a step', () => {
    for (const edge of [3, 37, 62, 99]) expect(foundBy(solve(exact, (setting) => (setting < edge ? -6 : 6)))).toBe(edge)
  })

  it('stays near the last trial where that is close to the target, although two trials in turn passed', () => {
    const trials = [
      { setting: 40, margin: -10 },
      { setting: 66, margin: 3 },
      { setting: 61, margin: 1 },
    ]
    const next = nextSetting(exact, trials)
    expect(next.kind === 'trial' && next.setting).toBeGreaterThan(55)
  })

  it('halves the bracket where only the side of a trial is known', () => {
    const { trials } = solve({ ...exact, start: 50 }, (setting) => (setting < 77 ? -Infinity : Infinity))
    expect(trials.length).toBeLessThanOrEqual(8)
    expect(smallestPassing(trials)?.setting).toBe(77)
  })

  it('crosses a plateau below the target in growing steps', () => {
    const plateau = (setting: number): number => (setting < 80 ? -0.3 : setting - 79.5)
    const { trials } = solve({ ...problem, maxTrials: 12 }, plateau)
    expect(smallestPassing(trials)).toBeDefined()
    expect(trials.length).toBeLessThan(12)
  })

  it('ends at the largest setting where nothing passes', () => {
    const { trials, reason } = solve({ ...exact, maxTrials: 20 }, () => -9)
    expect(trials.at(-1)!.setting).toBe(100)
    expect(reason).toBe('bracket')
  })

  it('ends at the smallest setting where everything passes', () => {
    const { trials, reason } = solve(exact, () => 9)
    expect(trials.at(-1)!.setting).toBe(1)
    expect(reason).toBe('bracket')
  })

  it('finds a passing setting of a noisy curve near the best one', () => {
    for (let shift = -20; shift <= 10; shift += 1.3) {
      const noisy = (setting: number): number => valueAt(usual, setting) + shift + 0.4 * noiseAt(setting)
      const passes = smallestPassing(solve(problem, noisy).trials)
      expect(passes?.margin).toBeLessThanOrEqual(2)
    }
  })

  it('does not take the noise between two close settings for the slope', () => {
    const noisy: SettingProblem = { ...problem, noise: 1 }
    const trials = [
      { setting: 60, margin: -0.75 },
      { setting: 61, margin: -0.73 },
    ]
    const next = nextSetting(noisy, trials)
    expect(next.kind === 'trial' && next.setting).toBeLessThanOrEqual(65)
  })
})

describe('the solver with a limit', () => {
  it('makes no more than the allowed trials', () => {
    const { trials, reason } = solve({ ...exact, maxTrials: 3 }, (setting) => setting - 90.5)
    expect(trials).toHaveLength(3)
    expect(reason).toBe('trials')
  })

  it('goes on beyond them while every trial fails, where that is allowed', () => {
    const never = solve({ ...problem, maxTrials: 2, maxFailing: 50, maxJump: 5 }, () => -9)
    expect(never.trials.at(-1)!.setting).toBe(100)
    const late = solve({ ...problem, maxTrials: 2, maxFailing: 50, maxJump: 5 }, (setting) => setting - 70)
    expect(late.trials.length).toBeGreaterThan(2)
    expect(late.trials.at(-1)!.margin).toBeGreaterThanOrEqual(0)
  })

  it('aims higher with its last two trials while nothing passes', () => {
    const trials = [50, 55, 58].map((setting) => ({ setting, margin: (setting - 60) / 2 }))
    const settingOf = (maxTrials: number): number => {
      const next = nextSetting({ ...problem, noise: 0.5, maxTrials }, trials)
      return next.kind === 'trial' ? next.setting : 0
    }
    expect(settingOf(5)).toBeGreaterThan(settingOf(9))
    expect(settingOf(4)).toBeGreaterThan(settingOf(5))
  })

  it('aims higher after a trial that lies farther from the target, where steps miss by a share of that', () => {
    const settingOf = (margin: number, aimShare?: number): number => {
      const next = nextSetting({ ...problem, tolerance: 4, ...(aimShare && { aimShare }) }, [{ setting: 40, margin }])
      return next.kind === 'trial' ? next.setting : 0
    }
    expect(settingOf(-6, 0.25)).toBeGreaterThan(settingOf(-6) + 1)
    expect(settingOf(-0.4, 0.25)).toBe(settingOf(-0.4))
  })

  it('jumps no farther than allowed without a bracket', () => {
    const next = nextSetting({ ...problem, maxJump: 7 }, [{ setting: 50, margin: -30 }])
    expect(next).toEqual({ kind: 'trial', setting: 57 })
  })

  it('leaves a bracket that is as narrow as allowed', () => {
    const wide = solve({ ...exact, minBracket: 4 }, (setting) => (setting < 37 ? -Infinity : Infinity))
    expect(wide.reason).toBe('bracket')
    expect(smallestPassing(wide.trials)!.setting).toBeLessThanOrEqual(40)
  })

  it('begins at the setting that the caller knows', () => {
    expect(nextSetting({ ...problem, start: 43 }, [])).toEqual({ kind: 'trial', setting: 43 })
  })
})

describe('the solver with a price for another trial', () => {
  const saving = { min: 0.03, rise: 0.03 }
  const priced: SettingProblem = { ...problem, tolerance: 0, saving, maxTrials: 20 }

  it('ends where the failing end of the bracket saves too little', () => {
    const trials = [
      { setting: 60, margin: -4, bytes: 980 },
      { setting: 62, margin: 8, bytes: 1000 },
    ]
    expect(nextSetting(priced, trials)).toEqual({ kind: 'stop', reason: 'saving' })
    expect(nextSetting({ ...priced, saving: { ...saving, min: 0.01 } }, trials)).toMatchObject({ kind: 'trial' })
  })

  it('counts what the lowest setting left in the bracket saves, not what the failing one does', () => {
    const trials = [
      { setting: 60, margin: -4, bytes: 950 },
      { setting: 62, margin: 8, bytes: 1000 },
    ]
    expect(nextSetting(priced, trials)).toEqual({ kind: 'stop', reason: 'saving' })
    expect(nextSetting(priced, [{ ...trials[0]!, setting: 50 }, trials[1]!])).toMatchObject({ kind: 'trial' })
  })

  it('tolerates a smaller margin where bytes rise faster', () => {
    const bytesAt = (rise: number) => (setting: number) => 1000 * Math.exp((setting - 60) * 0.5 * rise)
    const excessAt = (rise: number): number => {
      const { trials } = solve(priced, (setting) => clamp((setting - 72.3) / 2, -20, 20), bytesAt(rise))
      return smallestPassing(trials)!.margin
    }
    expect(excessAt(0.018)).toBeGreaterThanOrEqual(excessAt(0.05))
    expect(excessAt(0.05)).toBeLessThanOrEqual(0.6)
  })
})
