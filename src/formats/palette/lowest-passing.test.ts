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
