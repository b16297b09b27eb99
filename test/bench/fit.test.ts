import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { dataHash, fittedText } from '../../bench/fit/fitted-file.ts'
import { median, regress } from '../../bench/fit/regress.ts'
import { scratchDirectory } from '../scratch.ts'

it('the regression finds a line through points although one is wrong', () => {
  const inputs = [0, 1, 2, 3, 4, 5, 6].map((x) => [1, x])
  const outputs = [1, 3, 5, 90, 9, 11, 13]
  const [constant, slope] = regress(inputs, outputs, { width: 0.01, damping: 0 })
  expect([constant, slope].map((value) => Math.round(value!))).toEqual([1, 2])
})

it('the median is the sample in the middle', () => {
  expect(median([5, 1, 3])).toBe(3)
})

it('the header of a fitted file has its command, date, data and errors', async () => {
  const path = join(await scratchDirectory('fit'), 'a.gif')
  await writeFile(path, 'GIF')
  const errors = [{ what: 'points', before: '2', after: '1' }]
  const text = fittedText({ command: 'npm run fit:x', files: [path], errors, body: 'export const A = 1' }, '2026-01-02')
  expect(text).toBe(
    `/**\n * Written by \`npm run fit:x\` on 2026-01-02, not by hand.\n * Data: 1 files; SHA-256 of their hashes and names ${dataHash([path])}.\n * Error, points: 2 before, 1 after.\n */\nexport const A = 1\n`,
  )
})

it('the hash of data is the same for the same files in another order', async () => {
  const directory = await scratchDirectory('fit-order')
  const paths = ['a', 'b'].map((name) => join(directory, name))
  for (const path of paths) await writeFile(path, path)
  expect(dataHash(paths)).toBe(dataHash(paths.toReversed()))
})
