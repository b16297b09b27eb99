import { expect, it } from 'vitest'
import { workerMemory } from './worker-memory.ts'

it.each([
  [1, 64e9, 3e9],
  [2, 3e9, 1.2e9],
  [16, 4e9, 512e6],
])('gives each of %i workers in %i bytes of memory at most %i', (workers, memory, share) => {
  expect(workerMemory(workers, memory)).toBe(share)
})
