import { describe, expect, it } from 'vitest'
import { climb, lowestPassing } from './lowest-passing.ts'

it.each([
  [0, 5],
  [3, 0],
  [9, 9],
  [26, 14],
])('finds the lowest place that passes, %d, wherever it starts', (first, start) => {
  const looked: number[] = []
  const passes = (place: number): boolean => {
    looked.push(place)
    return place >= first
  }
  expect(lowestPassing(26, start, passes)).toBe(first)
  expect(looked[0]).toBe(start)
  expect(looked.length).toBeLessThanOrEqual(6)
})

it('finds nothing where nothing passes', () => {
  expect(lowestPassing(26, 14, () => false)).toBeUndefined()
})

it.each([3, 20, 45])('needs few looks where it is told how far each place is from the goal, %d of 54', (first) => {
  let looks = 0
  const passes = (place: number): boolean => {
    looks += 1
    return place >= first
  }
  expect(lowestPassing(53, 24, passes, (place) => (place - first) * 1.4 + 0.5)).toBe(first)
  expect(looks).toBeLessThanOrEqual(5)
})

it('finds the lowest place even where what it is told leads astray', () => {
  for (const above of [() => 100, () => -100, (place: number) => -place])
    expect(lowestPassing(53, 24, (place) => place >= 31, above)).toBe(31)
})

describe('where each look is dear', () => {
  /** Climbs from 26 to 53 where everything from `first` on passes, and tells what was looked at. */
  const climbTo = (first: number, aboveAt: (place: number) => number | undefined) => {
    const looked: number[] = []
    const found = climb(26, 53, (place) => {
      looked.push(place)
      const above = aboveAt(place)
      return { ...(place >= first ? { proven: place } : {}), ...(above === undefined ? {} : { above }) }
    })
    return { looked, found: found?.proven }
  }

  it('the first place that passes is taken at once', () => {
    expect(climbTo(20, () => 3)).toEqual({ looked: [26], found: 26 })
  })

  it('a larger one is tried by what is missing, and it is gone back where that was too far', () => {
    expect(climbTo(28, (place) => (place < 28 ? -33 : 9))).toEqual({ looked: [26, 48, 37, 31, 28], found: 28 })
    expect(climbTo(29, (place) => (place < 29 ? -3 : 1))).toEqual({ looked: [26, 28, 32, 30], found: 30 })
  })

  it('what failed on the way back ends it with what was found', () => {
    expect(climbTo(36, (place) => (place < 36 ? -15 : 2))).toEqual({ looked: [26, 36, 31], found: 36 })
  })

  it('the last place is tried before all is given up', () => {
    expect(climbTo(53, () => -60)).toEqual({ looked: [26, 53, 39], found: 53 })
    expect(climbTo(99, () => -60)).toEqual({ looked: [26, 53], found: undefined })
  })

  it('few are looked at where it is not known how far they are off', () => {
    expect(climbTo(99, () => undefined)).toEqual({ looked: [26, 27, 30, 35, 42], found: undefined })
  })
})
