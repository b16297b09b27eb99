/** Restricts an agent's paths to folders that the user allowed. Links are followed before a path is checked. */
import { randomUUID } from 'node:crypto'
import { realpath, rename, stat, unlink, writeFile } from 'node:fs/promises'
import { basename, dirname, isAbsolute, join, relative, resolve } from 'node:path'

/** A path outside of the allowed folders, or a file that must not be replaced. The message is for the client. */
export class PathRefused extends Error {}

export interface AllowedFolders {
  /** Real path of an existing file or folder. Fails with {@link PathRefused}. */
  readonly find: (path: string) => Promise<string>
  /** Writes a file atomically and returns its real path. Replaces a file only with `overwrite`. Fails with {@link PathRefused}. */
  readonly write: (path: string, bytes: Uint8Array | string, overwrite: boolean) => Promise<string>
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

const replaceWhole = async (path: string, bytes: Uint8Array | string): Promise<void> => {
  const temporary = join(dirname(path), `.${randomUUID()}.tmp`)
  try {
    await writeFile(temporary, bytes, { flag: 'wx' })
    await rename(temporary, path)
  } catch (error) {
    await unlink(temporary).catch(() => undefined)
    throw error
  }
}

const createNew = async (path: string, bytes: Uint8Array | string): Promise<void> => {
  try {
    await writeFile(path, bytes, { flag: 'wx' })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    throw new PathRefused(`"${path}" exists. Set "overwrite" to replace it.`)
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
    write: async (path, bytes, overwrite) => {
      const wanted = absolute(path)
      const target = join(assertAllowed(await realOf(dirname(wanted))), basename(wanted))
      await (overwrite ? replaceWhole : createNew)(target, bytes)
      return target
    },
  }
}
