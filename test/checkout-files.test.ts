import { execFileSync } from 'node:child_process'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, it, vi } from 'vitest'
import { checkoutFiles } from '../scripts/checkout-files.ts'
import { scratchDirectory } from './scratch.ts'

afterEach(() => vi.unstubAllEnvs())

it('lists tracked and new files of a checkout that another user owns, without deleted and ignored ones', async () => {
  const root = await scratchDirectory('checkout')
  const git = (...args: readonly string[]): string => execFileSync('git', args, { cwd: root, encoding: 'utf8' })
  git('init', '--quiet')
  for (const name of ['é tracked.ts', 'deleted.ts', 'tracked.md']) writeFileSync(join(root, name), '')
  git('add', '.')
  rmSync(join(root, 'deleted.ts'))
  writeFileSync(join(root, '.gitignore'), 'ignored.ts\n')
  for (const name of ['new.ts', 'ignored.ts']) writeFileSync(join(root, name), '')
  // For git's own tests.
  vi.stubEnv('GIT_TEST_ASSUME_DIFFERENT_OWNER', '1')
  expect(() => git('ls-files')).toThrow('dubious ownership')
  expect(checkoutFiles(root).toSorted()).toEqual(['.gitignore', 'new.ts', 'tracked.md', 'é tracked.ts'])
  expect(checkoutFiles(root, '*.md')).toEqual(['tracked.md'])
})
