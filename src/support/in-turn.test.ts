import { expect, it } from 'vitest'
import { makeTurns } from './in-turn.ts'

it('runs work for one key in order despite failures, and other keys concurrently', async () => {
  const inTurn = makeTurns()
  const ran: string[] = []
  const gate = Promise.withResolvers<void>()
  const first = inTurn('a', async () => {
    await gate.promise
    ran.push('first')
    throw new Error('broken')
  })
  const second = inTurn('a', async () => ran.push('second'))
  await inTurn('b', async () => ran.push('other'))
  expect(ran).toEqual(['other'])
  gate.resolve()
  await expect(first).rejects.toThrow('broken')
  await second
  await inTurn('a', async () => ran.push('third'))
  expect(ran).toEqual(['other', 'first', 'second', 'third'])
})
