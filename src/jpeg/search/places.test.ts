import { describe, expect, it } from 'vitest'
import { byWhatBinds, protectionAfter } from './places.ts'

const broken = (similarity: number, place: number) => ({ similarity, place, score: Math.min(similarity, place) })
const kept = (similarity: number, place = 75) => ({ similarity, place, score: similarity })

describe('where worst places bind', () => {
  it.each([
    ['a little behind: finer tables will do', broken(70.5, 69), 0, undefined],
    ['behind: some', broken(70.5, 67), 0, 1],
    ['far behind: more at once', broken(70.5, 57), 0, 2],
    ['little behind for some', broken(70.5, 68.5), 1, undefined],
    ['behind with some: more', broken(70.5, 67), 1, 2],
    ['far behind with some: much', broken(70.5, 63), 1, 3],
    ['far behind with more: much', broken(70.5, 64), 2, 3],
    ['as far behind as finer tables reach', broken(70.5, 20), 3, undefined],
    ['hardly behind what is wanted, but finer tables did not help', broken(74, 69.5), 0, 1],
    ['below what is wanted like the rest', broken(64, 63), 0, undefined],
    ['kept', kept(80, 71), 0, undefined],
  ] as const)('how much they are protected: %s', (_, trial, smooth, more) => {
    expect(protectionAfter(trial, 70, smooth)).toBe(more)
  })

  it('at low scores they are protected later, and not by the second degree', () => {
    expect(protectionAfter(broken(55.5, 53.5), 55, 0)).toBeUndefined()
    expect(protectionAfter(broken(55.5, 42), 55, 0)).toBe(1)
    expect(protectionAfter(broken(55.5, 52), 55, 1)).toBeUndefined()
    expect(protectionAfter(broken(55.5, 48), 55, 1)).toBe(3)
  })

  it('a trial that keeps them is near the target where little less did not', () => {
    const trials = [broken(72, 69.8), kept(72.4), kept(75)]
    const scores = byWhatBinds(trials, 70, 70).map(({ score }) => score)
    expect(scores[0]).toBeCloseTo(69.8)
    expect(scores[1]).toBeCloseTo(70.4)
    expect(scores[2]).toBeCloseTo(73)
  })

  it('tables that hardly move them are left in larger steps', () => {
    const lacks = (...trials: ReturnType<typeof broken>[]) => byWhatBinds(trials, 70, 70).map(({ score }) => 70 - score)
    expect(lacks(broken(71, 69.9))[0]).toBeCloseTo(0.1)
    expect(lacks(broken(71, 69.9), broken(71.3, 69.9))[1]).toBeCloseTo(0.5)
    expect(lacks(broken(71, 69.9), broken(71.3, 69.9), broken(72, 69.9))[2]).toBeCloseTo(0.75)
    expect(lacks(broken(71, 67), broken(71.3, 68))[1]).toBeCloseTo(2)
  })

  it('one that keeps them below all that do not is at the target', () => {
    expect(byWhatBinds([broken(72, 69), kept(71)], 70, 70)[1]!.score).toBe(70)
  })

  it('similarity counts where it is farther from the target, as where Butteraugli asks for more', () => {
    expect(byWhatBinds([broken(71, 69), kept(72, 70.5)], 70, 74).map(({ score }) => score)).toEqual([71, 72])
  })
})
