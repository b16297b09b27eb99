import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'

/** One file of a corpus. */
export interface CorpusFile {
  /** Relative to the corpus, with `/`; its first folder is the category. */
  readonly name: string
  readonly path: string
  readonly category: string
  readonly bytes: number
}

/** Files that describe a corpus and are no part of it. */
const DESCRIPTIONS = /\.(tsv|md|txt)$/

/** All files below a directory, in the order of their names. */
export const listFiles = async (directory: string): Promise<readonly CorpusFile[]> => {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile() && !DESCRIPTIONS.test(entry.name))
  const listed = files.map(async (entry): Promise<CorpusFile> => {
    const path = join(entry.parentPath, entry.name)
    const name = path.slice(join(directory, '/').length)
    const slash = name.indexOf('/')
    return { name, path, category: slash < 0 ? '.' : name.slice(0, slash), bytes: (await stat(path)).size }
  })
  return (await Promise.all(listed)).sort((a, b) => (a.name < b.name ? -1 : 1))
}

/** The path of a file in an address: every byte that needs it is percent-encoded. */
export const addressPath = (name: string): string => `/${name.split('/').map(encodeURIComponent).join('/')}`
