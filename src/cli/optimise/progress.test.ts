import { expect, it } from 'vitest'
import { progressLine } from './progress.ts'

const progress = { done: 12, of: 36, savedBytes: 3_140_000, elapsedMs: 20_000, current: 'photos/a.png' }

it('shows files, bytes saved, the time left and the current file', () => {
  expect(progressLine(progress, 100)).toBe('[########----------------] 12/36, 3.1 MB saved, 40 s left, photos/a.png')
})

it('estimates no time before the first file is done', () => {
  expect(progressLine({ done: 0, of: 36, savedBytes: 0, elapsedMs: 900 }, 100)).toBe('[------------------------] 0/36')
})

it('the line is never wider than the terminal, and keeps the end of a long name', () => {
  const line = progressLine({ ...progress, current: `photos/${'deep/'.repeat(30)}a.png` }, 80)
  expect(line.length).toBeLessThan(80)
  expect(line).toMatch(/\.\.\..*deep\/a\.png$/)
})
