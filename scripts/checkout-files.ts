import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Paths of the files of a checkout, without those that .gitignore names. Files that are new are there, deleted ones are not.
 * CI reads checkouts that another user owns. `patterns` are git's, such as `*.md`.
 */
export const checkoutFiles = (root: string, ...patterns: readonly string[]): readonly string[] =>
  execFileSync(
    'git',
    ['-c', 'safe.directory=*', 'ls-files', '-z', '--cached', '--others', '--exclude-standard', '--', ...patterns],
    { cwd: root, encoding: 'utf8', maxBuffer: Number.POSITIVE_INFINITY },
  )
    .split('\0')
    .filter((file) => file !== '' && existsSync(join(root, file)))
