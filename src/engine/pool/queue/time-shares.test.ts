import { describe, expect, it } from 'vitest'
import type { JobCost } from './fair-queue.ts'
import { openTimeShares } from './time-shares.ts'

const JOB: JobCost = { account: 'anna', cost: 10 }

/** A child that records its limits. */
const openChild = () => {
  const limits: (number | undefined)[] = []
  return { limitTime: (ms: number | undefined): void => void limits.push(ms), last: () => limits.at(-1) }
}

/** The shares of two workers, with a clock and a queue that the test sets. */
const openShares = () => {
  const state = { now: 0, waiting: [] as JobCost[], msPerCost: 0 }
  const shares = openTimeShares({
    workers: 2,
    waiting: () => state.waiting,
    msFor: (cost) => cost * state.msPerCost,
    now: () => state.now,
  })
  const begin = (left: number) => {
    const child = openChild()
    const end = shares.begin(child, JOB, { remaining: () => left })
    return { last: child.last, end }
  }
  return { state, shares, begin }
}

/** Two running jobs, `one` and another, and four that wait. */
const openCrowded = () => {
  const { state, shares, begin } = openShares()
  const one = begin(30_000)
  begin(30_000)
  state.waiting = [JOB, JOB, JOB, JOB]
  return { state, shares, one }
}

describe('the time of running jobs', () => {
  it('is all of it while no job waits', () => {
    const { begin } = openShares()
    const [one, other] = [begin(30_000), begin(30_000)]
    expect([one.last(), other.last()]).toEqual([undefined, undefined])
  })

  it('is a third of it when four more jobs wait for two workers', () => {
    const { state, shares, one } = openCrowded()
    state.now = 1000
    shares.renew()
    expect(one.last()).toBeCloseTo(9000)
  })

  it('is over where a job has taken more than its part', () => {
    const { state, shares, one } = openCrowded()
    state.now = 12_000
    shares.renew()
    expect(one.last()).toBe(0)
  })

  it('is all of it where all jobs are predicted to end before the deadline', () => {
    const { state, shares, one } = openCrowded()
    state.msPerCost = 1000
    shares.renew()
    expect(one.last()).toBeUndefined()
    state.msPerCost = 2000
    shares.renew()
    expect(one.last()).toBeCloseTo(10_000)
    expect(one.end()).toBe(true)
  })

  it('is all of it again when no job waits any more', () => {
    const { state, shares, begin } = openShares()
    const [one, other] = [begin(30_000), begin(30_000)]
    state.waiting = [JOB]
    shares.renew()
    expect(one.last()).toBeCloseTo(20_000)
    state.waiting = []
    other.end()
    expect(one.last()).toBeUndefined()
  })

  it('is all of it again for the next job of a child', () => {
    const { state, shares, begin } = openShares()
    const one = begin(30_000)
    state.waiting = [JOB, JOB]
    shares.renew()
    expect(one.last()).toBeCloseTo(20_000)
    one.end()
    expect(one.last()).toBeUndefined()
  })

  it('is not limited in the background', () => {
    const { state, shares } = openShares()
    const child = openChild()
    shares.begin(child, JOB, undefined)
    state.waiting = [JOB]
    shares.renew()
    expect(child.last()).toBeUndefined()
  })
})
