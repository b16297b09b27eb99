import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const directories: string[] = []

/** A new empty directory, which is removed when all tests of the file are done (test/remove-scratch.ts). */
export const scratchDirectory = async (name: string): Promise<string> => {
  const path = await mkdtemp(join(tmpdir(), `whittle-${name}-`))
  directories.push(path)
  return path
}

/** Removes all directories that were made so. */
export const removeScratch = async (): Promise<void> => {
  for (const path of directories.splice(0)) await rm(path, { recursive: true, force: true })
}
