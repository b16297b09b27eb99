import { expect, it } from 'vitest'
import { openTally } from './tally.ts'

it('adds up the cost of each account, also of one with a name of JavaScript', () => {
  const tally = openTally()
  for (const account of ['shop', 'constructor', '__proto__', 'constructor']) tally.count({ account, cost: 2 })
  expect(JSON.stringify(tally.take())).toBe('{"shop":2,"constructor":4,"__proto__":2}')
  expect(tally.take()).toEqual({})
})
