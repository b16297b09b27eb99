import { basename, extname, join } from 'node:path'
import { extensionOf } from '../build/formats.ts'
import type { BuildResult } from '../build/optimiser.ts'
import { digestOf } from '../build/result-cache.ts'
import { writeAtomically } from '../build/write-atomically.ts'

/** The folder for images, and its address in pages. */
export interface ImageFolder {
  readonly path: string
  readonly url: string
}

/** Returns the base of a file name, with letters, digits and `._-` only. */
const slugOf = (name: string): string => basename(name, extname(name)).replaceAll(/[^\p{L}\p{N}._-]+/gu, '-') || 'image'

/** Writes a result to the folder under a name with the hash of its content. Returns its address. Fails with the file system's error. */
export const writeResult = async (folder: ImageFolder, name: string, result: BuildResult): Promise<string> => {
  const extension = result.kind === 'original' ? extname(name).slice(1) : extensionOf(result.contentType)
  const file = `${slugOf(name)}-${digestOf(result.bytes).slice(0, 10)}.${extension}`
  await writeAtomically(join(folder.path, file), result.bytes)
  return `${folder.url.replace(/\/+$/, '')}/${encodeURIComponent(file)}`
}
