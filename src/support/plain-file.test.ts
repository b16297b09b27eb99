import { execFileSync } from 'node:child_process'
import { link, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readPlainFile } from './plain-file.ts'

let directory: string
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'whittle-plain-'))
})
afterAll(() => rm(directory, { recursive: true }))

const make = async (name: string): Promise<string> => {
  const path = join(directory, name)
  await writeFile(path, 'abc')
  return path
}
const expected = { bytes: 3, links: 1 }

describe('a plain file', () => {
  it('a plain file is read', async () =>
    expect((await readPlainFile(await make('plain'), expected)).toString()).toBe('abc'))

  it.each<[string, (path: string) => Promise<void> | void]>([
    ['a symbolic link', (path) => symlink('/etc/passwd', path)],
    ['another file under a second name', async (path) => link(await make('first'), path)],
    ['a pipe', (path) => void execFileSync('mkfifo', [path])],
    ['a file of another size', (path) => writeFile(path, 'abcd')],
    ['nothing at all', () => undefined],
  ])('a plain file is not %s', async (name, put) => {
    const path = join(directory, name.replaceAll(' ', '-'))
    await put(path)
    await expect(readPlainFile(path, expected)).rejects.toThrow()
  })

  it('a plain file is not a device', () =>
    expect(readPlainFile('/dev/zero', { bytes: 0, links: 1 })).rejects.toThrow('plain'))
})
