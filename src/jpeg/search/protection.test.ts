import { describe, expect, it } from 'vitest'
import { protectionAfter } from './protection.ts'

describe('the protection of smooth areas after a trial', () => {
  it.each([
    ['stays where finer tables will do', 70.5, 69.2, 0, undefined],
    ['is one degree where tiles lack some points', 70.5, 67, 0, 1],
    ['is one degree more where they lack many', 70.5, 57, 0, 1],
    ['stays at one degree where they lack little', 70.5, 68.5, 1, undefined],
    ['rises from one degree', 70.5, 67, 1, 2],
    ['rises from two degrees to the last', 70.5, 64, 2, 3],
    ['has no fourth degree', 70.5, 20, 3, undefined],
    ['stays where the whole image lacks as much', 64, 63, 0, undefined],
    ['stays where tiles keep their bounds', 80, 71, 0, undefined],
  ] as const)('%s', (_, score, tileScore, smooth, expected) => {
    expect(protectionAfter({ score, tileScore }, 70, smooth)).toBe(expected)
  })

  it('comes later at low targets', () => {
    expect(protectionAfter({ score: 55.5, tileScore: 53.5 }, 55, 0)).toBeUndefined()
    expect(protectionAfter({ score: 55.5, tileScore: 52.5 }, 55, 0)).toBe(1)
  })

  it('stays where tiles were not measured', () => {
    expect(protectionAfter({ score: 70.5 }, 70, 0)).toBeUndefined()
  })
})
