import { createHash } from 'node:crypto'
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'

/** What came of one file before. */
export interface Remembered {
  /** SHA-256 of the result, hex; equal to the source's where nothing smaller came out. */
  readonly result: string
  readonly bytes: number
  readonly format: string
  readonly score?: number
  readonly butteraugli?: number
}

/** Remembers by content what was done already; it holds no images. */
export interface DoneCache {
  readonly recall: (source: string, list: string) => Promise<Remembered | undefined>
  readonly remember: (source: string, list: string, done: Remembered) => Promise<void>
}

/** SHA-256 of bytes, hex. */
export const digestOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

/** Nothing is remembered. */
export const NO_CACHE: DoneCache = { recall: async () => undefined, remember: async () => undefined }

/** A cache in a directory: one small file for each content and option list; `version` sets those of other versions apart. */
export const openDoneCache = (directory: string, version: string): DoneCache => {
  const pathOf = (source: string, list: string): string => {
    const key = createHash('sha256')
      .update(JSON.stringify([version, source, list]))
      .digest('hex')
    return join(directory, key.slice(0, 2), `${key.slice(2)}.json`)
  }
  return {
    recall: async (source, list) => {
      try {
        return JSON.parse(await readFile(pathOf(source, list), 'utf8')) as Remembered
      } catch {
        // Not there, or torn: it is done again.
        return undefined
      }
    },
    remember: async (source, list, done) => {
      const path = pathOf(source, list)
      const temporary = `${path}.${process.pid}`
      // A cache that cannot be written costs time, never the result.
      await mkdir(dirname(path), { recursive: true })
        .then(() => writeFile(temporary, JSON.stringify(done)))
        .then(() => rename(temporary, path))
        .catch(() => undefined)
    },
  }
}
