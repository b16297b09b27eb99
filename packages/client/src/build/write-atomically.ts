import { randomUUID } from 'node:crypto'
import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'

/** Writes a file and creates its folders. The path never holds a partial file, and a failure leaves none. Fails with the file system's error. */
export const writeAtomically = async (path: string, bytes: Uint8Array): Promise<void> => {
  const draft = join(dirname(path), `.${randomUUID()}.part`)
  await mkdir(dirname(path), { recursive: true })
  try {
    await writeFile(draft, bytes)
    await rename(draft, path)
  } catch (error) {
    await rm(draft, { force: true }).catch(() => undefined)
    throw error
  }
}
