import { expect, it, vi } from 'vitest'
import { openTrialTimer } from './trial-timer.ts'

/** Runs trials of these ms with a deadline in 1000 ms. Returns the trials that began, and how often the time was short. */
const begun = (durations: readonly number[], pace: { reserve: number; factor: number; memory: number }) => {
  let now = 0
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => now)
  let short = 0
  const outOfTime = (): void => {
    short += 1
  }
  const timed = openTrialTimer({ deadline: { remaining: () => 1000 - now }, outOfTime }, pace)
  const trials = durations.map((ms) =>
    timed(() => {
      now += ms
      return true
    }, false),
  )
  clock.mockRestore()
  return { trials: trials.filter(Boolean).length, short }
}

it('a trial begins only if the longest one before would end within the deadline', () => {
  expect(begun([300, 100, 100, 100, 100, 100, 100], { reserve: 0, factor: 1, memory: 1 })).toEqual({
    trials: 6,
    short: 1,
  })
})

it('a part of a long trial is expected of each later one', () => {
  expect(begun([300, 100, 100, 100, 100, 100, 100], { reserve: 0, factor: 1, memory: 0.5 })).toEqual({
    trials: 7,
    short: 0,
  })
})

it('the reserve remains after the last trial', () => {
  expect(begun([300, 300, 300], { reserve: 500, factor: 1, memory: 1 })).toEqual({ trials: 1, short: 2 })
})

it('a factor above 1 expects longer trials than the last one', () => {
  expect(begun([300, 300, 300], { reserve: 0, factor: 2, memory: 1 })).toEqual({ trials: 2, short: 1 })
})
