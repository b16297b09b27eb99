import { describe, expect, it } from 'vitest'
import { type ScaleSums, scoreOf } from './score.ts'
import { weights } from './weights.ts'

/** Sums of 0 but for those that `set` names as `channel scale map`, one pixel a scale. */
const sumsWith = (scales: number, set: Readonly<Record<string, number>>): ScaleSums => {
  const sums = new Float64Array(weights.length)
  for (const [name, value] of Object.entries(set)) {
    const [channel, scale, map] = name.split(' ').map(Number)
    sums[(scale! * 3 + channel!) * 6 + map!] = value
  }
  return { sums, pixels: Array.from({ length: scales }, () => 1) }
}

describe('the score', () => {
  it('is 100 when nothing differs', () => {
    expect(scoreOf(sumsWith(6, {}))).toBe(100)
  })

  it('has a weight for each of 3 channels, 6 scales, 2 norms and 3 maps', () => {
    expect(weights).toHaveLength(108)
  })

  it('weighs Y at full size by its 4-norms, where there are six scales', () => {
    expect(scoreOf(sumsWith(6, { '1 0 0': 0.5 }))).toBe(100)
    expect(scoreOf(sumsWith(6, { '1 0 3': 0.001 }))).toBeLessThan(85)
  })

  it('weighs it by later weights of X where there are fewer', () => {
    const three = scoreOf(sumsWith(3, { '1 0 3': 0.001 }))
    expect(three).not.toBe(scoreOf(sumsWith(6, { '1 0 3': 0.001 })))
    expect(three).toBe(scoreOf(sumsWith(6, { '0 3 3': 0.001 })))
  })

  it('has no lower end', () => {
    expect(scoreOf(sumsWith(6, { '1 0 3': 1, '1 2 0': 1 }))).toBeLessThan(-50)
  })
})
