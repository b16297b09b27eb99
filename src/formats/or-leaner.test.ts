import { expect, it } from 'vitest'
import { orLeaner } from './or-leaner.ts'

const refuse = async (): Promise<string> => {
  throw new Error('Failed to allocate frame buffer')
}

it('encodes with leaner settings after a failed encode', async () => {
  expect(await orLeaner(refuse, async () => 'lean')).toBe('lean')
})

it('throws the error of the leaner encode where both fail', async () => {
  await expect(orLeaner(refuse, refuse)).rejects.toThrow('frame buffer')
})

it('throws at once when the disk is full', async () => {
  const full = async () => Promise.reject(Object.assign(new Error('full'), { code: 'ENOSPC' }))
  await expect(orLeaner<string>(full, async () => 'lean')).rejects.toThrow('full')
})
