import { expect, it } from 'vitest'
import { sampleFrames, sampleToLast } from './sampling.ts'

it.each([
  [1, 6, [0]],
  [2, 6, [0, 1]],
  [6, 6, [0, 1, 2, 3, 4, 5]],
  [7, 3, [1, 3, 5]],
  [20, 4, [2, 7, 12, 17]],
  [1000, 2, [250, 750]],
])('samples %i frames, at most %i of them, as %j', (frames, most, numbers) =>
  expect(sampleFrames(frames, most)).toEqual(numbers))

it.each([
  [1, 6, [0]],
  [2, 6, [0, 1]],
  [20, 4, [2, 7, 12, 19]],
])('samples %i frames, at most %i of them, with the last one, as %j', (frames, most, numbers) =>
  expect(sampleToLast(frames, most)).toEqual(numbers))
