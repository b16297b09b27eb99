import { readdir, rm, rmdir, unlink } from 'node:fs/promises'
import { join } from 'node:path'

/** Removes a file. A missing one is no error. `rm` would call a synchronous stat first, which blocks the process. */
export const removeFile = (path: string): Promise<void> =>
  unlink(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error
  })

/** Removes a directory with its content. Optimised for a few plain files. A missing one is no error. */
export const removeDirectory = async (path: string): Promise<void> => {
  try {
    await Promise.all((await readdir(path)).map((name) => removeFile(join(path, name))))
    await rmdir(path)
  } catch {
    // A process that is being stopped may still write into it.
    await rm(path, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 })
  }
}
