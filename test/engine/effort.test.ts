import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { expect, it } from 'vitest'
import { run } from './run.ts'

const PHOTO = await readFile(resolve(import.meta.dirname, '../fixtures/jpeg/kodim23-190x158.png'))

it.each(['webp', 'avif'])('more effort keeps the quality of a photograph as %s in fewer bytes', async (format) => {
  const options = `full,format=${format}`
  const [usual, more] = [await run(PHOTO, { options }), await run(PHOTO, { options, effort: 'more' })]
  expect(more.score).toBeGreaterThanOrEqual(more.goal)
  expect(more.result.meetsTarget).toBe(true)
  expect(more.bytes.length).toBeLessThan(usual.bytes.length)
})
