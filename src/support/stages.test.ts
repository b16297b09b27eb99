import { expect, it } from 'vitest'
import { staged } from './stages.ts'

it.each([
  ['done', () => 'done'],
  ['done later', () => Promise.resolve('done later')],
])('a stage that is %s is reported once, with its time', async (result, work) => {
  const told: [string, number][] = []
  expect(await staged({ stage: (...stage) => void told.push(stage) }, 'decode', work)).toBe(result)
  expect(told).toEqual([['decode', expect.any(Number)]])
})

it('a stage that fails is reported too', async () => {
  const told: string[] = []
  const failing = staged({ stage: (name) => void told.push(name) }, 'decode', () => {
    throw new Error('broken')
  })
  await expect(failing).rejects.toThrow('broken')
  expect(told).toEqual(['decode'])
})
