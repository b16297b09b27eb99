import { expect, it } from 'vitest'
import { type Curve, clamp, inverse, valueAt } from './curve.ts'

const curve: Curve = [
  [0, 0],
  [10, 20],
  [20, 25],
]

it('interpolates between points and extends the first and the last segment', () => {
  expect([-5, 0, 5, 10, 15, 20, 30].map((x) => valueAt(curve, x))).toEqual([-10, 0, 10, 20, 22.5, 25, 30])
})

it('inverts a rising curve', () => {
  for (const x of [-4, 3, 12, 40]) expect(valueAt(inverse(curve), valueAt(curve, x))).toBeCloseTo(x)
})

it('keeps a value between two ends', () => {
  expect([-1, 3, 9].map((value) => clamp(value, 0, 5))).toEqual([0, 3, 5])
})
