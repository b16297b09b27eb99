import { createHash } from 'node:crypto'
import { readFile, rename, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { makeFolder } from '../../support/make-folder.ts'

/** The earlier outcome of a file. */
export interface CachedOutcome {
  /** SHA-256 of the result, hex. Equal to the source's when no smaller result was found. */
  readonly result: string
  readonly bytes: number
  readonly format: string
  readonly score?: number
  readonly butteraugli?: number
}

/** Caches outcomes by content. Holds no images. */
export interface OutcomeCache {
  readonly recall: (source: string, list: string) => Promise<CachedOutcome | undefined>
  readonly remember: (source: string, list: string, done: CachedOutcome) => Promise<void>
}

/** SHA-256 of bytes, hex. */
export const digestOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

/** A cache that is always empty. */
export const NO_CACHE: OutcomeCache = { recall: async () => undefined, remember: async () => undefined }

/** A cache in a directory, with one small file per content and option list. `version` separates the outcomes of other versions. */
export const openOutcomeCache = (directory: string, version: string): OutcomeCache => {
  const pathOf = (source: string, list: string): string => {
    const key = createHash('sha256')
      .update(JSON.stringify([version, source, list]))
      .digest('hex')
    return join(directory, key.slice(0, 2), `${key.slice(2)}.json`)
  }
  return {
    recall: async (source, list) => {
      try {
        return JSON.parse(await readFile(pathOf(source, list), 'utf8')) as CachedOutcome
      } catch {
        // The entry is missing or truncated, so the file is processed again.
        return undefined
      }
    },
    remember: async (source, list, done) => {
      const path = pathOf(source, list)
      const temporary = `${path}.${process.pid}`
      // A failed write only costs time in the next run.
      await makeFolder(dirname(path))
        .then(() => writeFile(temporary, JSON.stringify(done)))
        .then(() => rename(temporary, path))
        .catch(() => undefined)
    },
  }
}
