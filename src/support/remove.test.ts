import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { scratchDirectory } from '../../test/scratch.ts'
import { removeDirectory, removeFile } from './remove.ts'

const scratch = () => scratchDirectory('remove')

describe('removing', () => {
  it('removes a file, and a missing one is no error', async () => {
    const path = join(await scratch(), 'file')
    await writeFile(path, 'x')
    await removeFile(path)
    expect(existsSync(path)).toBe(false)
    await removeFile(path)
  })

  it('refuses to remove a directory as a file', async () => {
    await expect(removeFile(await scratch())).rejects.toThrow()
  })

  it('removes a directory with its content, and a missing one is no error', async () => {
    const path = await scratch()
    await writeFile(join(path, 'file'), 'x')
    await mkdir(join(path, 'more', 'still'), { recursive: true })
    await writeFile(join(path, 'more', 'still', 'file'), 'x')
    await removeDirectory(path)
    expect(existsSync(path)).toBe(false)
    await removeDirectory(path)
  })
})
