import { randomBytes } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { fail } from '../core/failure.ts'
import type { SourceCopy } from '../ports/jobs.ts'
import type { Results } from '../ports/results.ts'
import type { Cacheability } from '../source/cacheability.ts'

/** A source in a file. */
export interface GivenSource {
  readonly path: string
  readonly bytes: number
  readonly cacheability: Cacheability
}

/** Copies of sources in the result store under random names, for jobs whose node dies. */
export interface SourceCopies {
  readonly make: (source: GivenSource) => Promise<SourceCopy | undefined>
  /** Writes a copy to a file. Fails with RESULT_GONE when it is missing. */
  readonly read: (copy: SourceCopy, path: string) => Promise<void>
  readonly remove: (copy: SourceCopy) => Promise<void>
}

/** Opens copies in `results`. Reports copies that could not be made or removed. Leftover copies expire. */
export const openSourceCopies = (results: Results, report: (what: string, error: unknown) => void): SourceCopies => ({
  make: async ({ path, bytes, cacheability }) => {
    const key = randomBytes(32).toString('hex')
    const { cacheControl, shareable } = cacheability
    const meta = {
      contentType: 'application/octet-stream',
      bytes,
      etag: '"source"',
      headers: {},
      createdAt: Date.now(),
    }
    try {
      if (!(await results.put(key, path, meta))) return undefined
    } catch (error) {
      report('a source could not be copied for the other nodes', error)
      return undefined
    }
    return { key, bytes, shareable, ...(cacheControl === undefined ? {} : { cacheControl }) }
  },
  read: async ({ key }, path) => {
    const stored = await results.get(key)
    if (stored === undefined) throw fail('RESULT_GONE')
    await pipeline(await stored.open(), createWriteStream(path, { mode: 0o600 }))
  },
  remove: (copy) =>
    results.remove(copy.key).catch((error: unknown) => report('the copy of a source could not be removed', error)),
})
