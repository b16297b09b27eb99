import { describe, expect, it } from 'vitest'
import { type Day, simulate } from '../scripts/simulate/simulation.ts'

const DAY: Day = {
  seed: 7,
  nodes: 5,
  workersPerNode: 2,
  imagesPerDay: 40_000,
  cpu: { mean: 0.5, sigma: 0.8 },
  queueLimit: 128,
  bursts: { share: 0, images: 1, within: 1 },
  deaths: { every: 1e12, gone: 30 },
  takeOver: 4.5,
  slowStore: { from: 0, to: 0, wait: 0 },
  store: 0.02,
  redirectAfter: 20,
}
const at = (sorted: Float64Array, share: number): number =>
  sorted[Math.floor(share * (sorted.length - 1))] ?? Number.NaN

describe('the simulation of many nodes', () => {
  it('has the given number of images and amount of work', () => {
    const found = simulate(DAY)
    expect(found.images / DAY.imagesPerDay).toBeCloseTo(1, 1)
    expect(found.busy).toBeCloseTo((40_000 * 0.5) / (86_400 * 10), 2)
  })

  it('is the same day again from the same seed', () => expect(simulate(DAY)).toEqual(simulate(DAY)))

  it('lets no image wait while workers are free', () => expect(at(simulate(DAY).queue, 0.99)).toBe(0))

  it('lets images wait, and refuses some, where there is less', () => {
    const found = simulate({ ...DAY, nodes: 1, workersPerNode: 1, cpu: { mean: 4, sigma: 0.1 } })
    expect(at(found.queue, 0.5)).toBeGreaterThan(60)
    expect(found.refused).toBeGreaterThan(1000)
    expect(found.lost).toBe(0)
  })

  it('begins again what a node that died was working on, and loses nothing', () => {
    const found = simulate({ ...DAY, cpu: { mean: 5, sigma: 0.5 }, deaths: { every: 1800, gone: 30 } })
    expect(found.deaths).toBeGreaterThan(100)
    expect(found.again).toBeGreaterThan(100)
    expect([found.lost, found.refused]).toEqual([0, 0])
  })

  it('shows a store that is slow in the time to the result, not in the queue', () => {
    const found = simulate({ ...DAY, slowStore: { from: 0, to: 86_400, wait: 3 } })
    expect(at(found.total, 0)).toBeGreaterThan(3)
    expect(at(found.queue, 0.99)).toBe(0)
  })
})
