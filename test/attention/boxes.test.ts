import { describe, expect, it } from 'vitest'
import { fuse } from '../../src/attention/boxes.ts'

const box = (x: number, score: number) => ({ x, y: 0.2, width: 0.4, height: 0.4, score })

describe('boxes of one thing', () => {
  it('become their average, with the largest score', () => {
    const [one, ...others] = fuse([box(0.1, 0.6), box(0.14, 0.6)], 0.5)
    expect(others).toEqual([])
    expect(one!.x).toBeCloseTo(0.12, 9)
    expect([one!.score, one!.width]).toEqual([0.6, expect.closeTo(0.4, 9)])
  })

  it('give the same average when the surest two change places', () => {
    const [one] = fuse([box(0.1, 0.601), box(0.16, 0.6)], 0.5)
    const [other] = fuse([box(0.1, 0.6), box(0.16, 0.601)], 0.5)
    expect(Math.abs(one!.x - other!.x)).toBeLessThan(0.001)
  })

  it('stay apart from those of another, surest first', () => {
    expect(fuse([box(0, 0.4), box(0.55, 0.8)], 0.5).map(({ x }) => x)).toEqual([0.55, 0])
  })
})
