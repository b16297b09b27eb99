/** Restricts an agent's paths to folders that the user allowed. Links are followed before a path is checked. */
import { randomUUID } from 'node:crypto'
import { link, open, realpath, rename, stat, unlink, writeFile } from 'node:fs/promises'
import { basename, dirname, isAbsolute, join, relative, resolve } from 'node:path'
import { exists } from '../support/exists.ts'
import { isFolder } from '../support/is-folder.ts'

/** A path outside of the allowed folders, or a file that must not be replaced. The message is for the client. */
export class PathRefused extends Error {}

export interface AllowedFolders {
  /** Real path of an existing file or folder. Fails with {@link PathRefused}. */
  readonly find: (path: string) => Promise<string>
  /**
   * Checks where a file is to be written, before the work on it and again when it is written. The returned function writes it atomically and returns its real path.
   * Replaces a file only with `overwrite`. Both fail with {@link PathRefused}.
   */
  readonly prepareWrite: (path: string, overwrite: boolean) => Promise<(bytes: Uint8Array | string) => Promise<string>>
}

const isInside = (folder: string, path: string): boolean => {
  const way = relative(folder, path)
  return way === '' || (way !== '..' && !way.startsWith('../') && !isAbsolute(way))
}

const realOf = async (path: string): Promise<string> => {
  try {
    return await realpath(path)
  } catch {
    throw new PathRefused(`There is no file or folder "${path}", or it may not be read.`)
  }
}

const alreadyThere = (path: string): PathRefused => new PathRefused(`"${path}" exists. Set "overwrite" to replace it.`)

/** Gives a whole file a name that no file has. Reserves the name with an empty file if the file system has no hard links. */
const nameNew = async (temporary: string, path: string): Promise<void> => {
  try {
    await link(temporary, path).catch(async (error: NodeJS.ErrnoException) => {
      if (error.code === 'EEXIST') throw error
      await (await open(path, 'wx')).close()
      await rename(temporary, path)
    })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    throw alreadyThere(path)
  }
}

/** Writes a file that is never there in part. */
const writeWhole = async (path: string, bytes: Uint8Array | string, overwrite: boolean): Promise<void> => {
  const temporary = join(dirname(path), `.${randomUUID()}.tmp`)
  try {
    await writeFile(temporary, bytes, { flag: 'wx' })
    await (overwrite ? rename : nameNew)(temporary, path)
  } finally {
    await unlink(temporary).catch(() => undefined)
  }
}

/** Allows folders. Relative paths start at the first one. Fails when one is not a folder. */
export const allowFolders = async (folders: readonly string[]): Promise<AllowedFolders> => {
  const roots = await Promise.all(folders.map(realOf))
  for (const root of roots) if (!(await stat(root)).isDirectory()) throw new PathRefused(`"${root}" is not a folder.`)
  const assertAllowed = (path: string): string => {
    if (roots.some((root) => isInside(root, path))) return path
    throw new PathRefused(`"${path}" is outside of the allowed folders: ${roots.join(', ')}.`)
  }
  const absolute = (path: string): string => resolve(roots[0] ?? '/', path)
  return {
    find: async (path) => assertAllowed(await realOf(absolute(path))),
    prepareWrite: async (path, overwrite) => {
      const wanted = absolute(path)
      const target = join(assertAllowed(await realOf(dirname(wanted))), basename(wanted))
      if (target.includes('\0') || !(await isFolder(dirname(target))) || (await isFolder(target)))
        throw new PathRefused(`"${path}" cannot be the name of a file.`)
      if (!overwrite && (await exists(target))) throw alreadyThere(target)
      return async (bytes) => {
        // The folder may have become a link during the work.
        const checked = join(assertAllowed(await realOf(dirname(target))), basename(target))
        await writeWhole(checked, bytes, overwrite)
        return checked
      }
    },
  }
}
