import { describe, expect, it } from 'vitest'
import { type JpegSearch, protectionIn } from './one-search.ts'
import type { Trial } from './trial.ts'

const goal = { target: 70, course: { trials: 0, comparisons: 0 } }
const trial = (similarity: number, place: number): Partial<Trial> => ({
  similarity,
  place,
  score: place < 70 ? Math.min(similarity, place) : similarity,
})
const protection = (...trials: Partial<Trial>[]) =>
  protectionIn({ bounds: { score: 70 }, trials } as unknown as JpegSearch, goal)

describe('smooth places are protected more', () => {
  it('where a trial would do but for them', () => {
    expect(protection(trial(69, 68.5), trial(70.5, 66))).toBe(1)
  })

  it('not where another trial keeps them for little more', () => {
    expect(protection(trial(71.5, 72), trial(70.5, 66))).toBeUndefined()
  })

  it('but where what keeps them is much better than it had to be', () => {
    expect(protection(trial(75, 72), trial(70.5, 66))).toBe(1)
  })

  it('also where another seems to do, but was not asked of its places', () => {
    const { place: _none, ...unknown } = trial(70.8, 72)
    expect(protection(unknown, trial(70.5, 66))).toBe(1)
  })
})
