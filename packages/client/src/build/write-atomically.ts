import { randomUUID } from 'node:crypto'
import { mkdir, rename, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'

/** Writes a file and creates its folders. The path never holds a partial file. Fails with the file system's error. */
export const writeAtomically = async (path: string, bytes: Uint8Array): Promise<void> => {
  const draft = `${path}.${randomUUID()}`
  await mkdir(dirname(path), { recursive: true })
  await writeFile(draft, bytes)
  await rename(draft, path)
}
