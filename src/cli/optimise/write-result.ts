import { randomUUID } from 'node:crypto'
import { chmod, chown, open, rename, stat, unlink } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { makeFolder } from '../../support/make-folder.ts'

/** Temporary files that are being written. They are removed when the process ends. */
export const UNFINISHED = new Set<string>()

const writeWhole = async (path: string, bytes: Uint8Array): Promise<void> => {
  const handle = await open(path, 'wx', 0o600)
  try {
    await handle.writeFile(bytes)
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/**
 * Writes a file atomically: a temporary file next to it is written, synced and renamed, so that the old or the new one is complete at any
 * time. Copies the permissions of `like`, and its owner if allowed.
 */
export const writeAtomically = async (path: string, bytes: Uint8Array, like?: string): Promise<void> => {
  await makeFolder(dirname(path))
  const temporary = join(dirname(path), `.${basename(path).slice(0, 60)}.${randomUUID()}.tmp`)
  UNFINISHED.add(temporary)
  try {
    await writeWhole(temporary, bytes)
    const { mode, uid, gid } =
      like === undefined ? { mode: 0o666 & ~process.umask(), uid: -1, gid: -1 } : await stat(like)
    if (like !== undefined) await chown(temporary, uid, gid).catch(() => undefined)
    await chmod(temporary, mode & 0o7777)
    await rename(temporary, path)
  } catch (error) {
    await unlink(temporary).catch(() => undefined)
    throw error
  } finally {
    UNFINISHED.delete(temporary)
  }
}
