import { mkdtemp, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { makeFolder } from '../../src/support/make-folder.ts'

let directory: string
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'whittle-folder-'))
})
afterAll(() => rm(directory, { recursive: true }))

it('creates a folder with those above it, by many callers at once', async () => {
  const path = join(directory, 'a/b/c')
  await Promise.all(Array.from({ length: 8 }, () => makeFolder(path, 0o700)))
  for (const made of [path, join(directory, 'a')]) expect((await stat(made)).mode & 0o777).toBe(0o700)
  await symlink(path, join(directory, 'link'))
  await makeFolder(join(directory, 'link'))
})

// Node's recursive mkdir never ends there.
it.skipIf(process.platform !== 'linux')('fails where no folder can be created', async () => {
  await expect(makeFolder('/proc/whittle/data')).rejects.toMatchObject({ code: 'ENOENT' })
  await writeFile(join(directory, 'file'), '')
  await expect(makeFolder(join(directory, 'file'))).rejects.toMatchObject({ code: 'EEXIST' })
  await expect(makeFolder(join(directory, 'file/below'))).rejects.toMatchObject({ code: 'ENOTDIR' })
})
