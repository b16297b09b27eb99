import { readdir, rm, rmdir, unlink } from 'node:fs/promises'
import { join } from 'node:path'

/** Removes a file; one that is not there is no error. `rm` would look at it first, and that look blocks the whole process. */
export const removeFile = (path: string): Promise<void> =>
  unlink(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error
  })

/** Removes a directory and all that is in it; made for few plain files, but takes anything. One that is not there is no error. */
export const removeDirectory = async (path: string): Promise<void> => {
  try {
    for (const name of await readdir(path)) await removeFile(join(path, name))
    await rmdir(path)
  } catch {
    // Whoever is being stopped may write into it still.
    await rm(path, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 })
  }
}
