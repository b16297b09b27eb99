import { expect, it } from 'vitest'
import { lowestPassing } from './lowest-passing.ts'

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
