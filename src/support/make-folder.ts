import { mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import { isFolder } from './is-folder.ts'

const codeOf = (error: unknown): string | undefined => (error as NodeJS.ErrnoException).code

/**
 * Creates a folder, and those above it that are missing. An existing one stays as it is. Node's recursive `mkdir` never ends where a folder
 * exists and no other can be created in it, as in `/proc`.
 */
export const makeFolder = async (path: string, mode?: number): Promise<void> => {
  try {
    await mkdir(path, mode)
  } catch (error) {
    if (await isFolder(path)) return
    const above = dirname(path)
    if (codeOf(error) !== 'ENOENT' || above === path || (await isFolder(above))) throw error
    await makeFolder(above, mode)
    await makeFolder(path, mode)
  }
}
