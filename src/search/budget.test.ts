import { expect, it, vi } from 'vitest'
import { expectedMs, hasTimeFor, lacksTimeFor } from './budget.ts'

it('expects twice the time for twice the pixels', () => {
  const size = { width: 1000, height: 500 }
  expect(expectedMs('score', { ...size, width: 2000 })).toBe(2 * expectedMs('score', size))
})

it('a budget has no time for a step beyond the deadline, after it, or that is not wanted', () => {
  const left = (ms: number, signal = new AbortController().signal) => ({ deadline: { remaining: () => ms, signal } })
  expect(hasTimeFor(left(100), 100)).toBe(true)
  expect(hasTimeFor(left(100), 101)).toBe(false)
  expect(hasTimeFor(left(0), 0)).toBe(false)
  expect(hasTimeFor(left(100, AbortSignal.abort()), 1)).toBe(false)
})

it('a step that has no time is reported', () => {
  const outOfTime = vi.fn()
  const request = { deadline: { remaining: () => 100 }, outOfTime }
  expect(lacksTimeFor(request, 100)).toBe(false)
  expect(outOfTime).not.toHaveBeenCalled()
  expect(lacksTimeFor(request, 101)).toBe(true)
  expect(outOfTime).toHaveBeenCalledOnce()
})
