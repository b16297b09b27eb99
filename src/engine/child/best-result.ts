import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ResultFile } from '../../core/outcome.ts'
import { betterOf } from '../../plan/winner.ts'
import type { Report } from './report.ts'

/** Bytes that may become the result, with their measurements. */
export type Entry = Omit<ResultFile, 'path' | 'bytes' | 'encodes' | 'warnings' | 'frames'> & {
  readonly data: Uint8Array
  /** Whether it decodes to exactly the pixels of the plan. */
  readonly exact?: true
}

/** The best result of one job so far. */
export interface BestResult {
  /** Keeps and offers the entry if it is better than the best one so far. */
  readonly add: (entry: Entry) => Promise<void>
  /** Counts a full encode. */
  readonly encoded: () => void
  readonly best: () => ResultFile | undefined
  /** Bytes of the best result that meets its target; Infinity while there is none. */
  readonly bytesToBeat: () => number
}

/** Returns the bytes of an entry with the additions of every result of the job, such as a colour profile. */
export type Complete = (entry: Entry) => Promise<Uint8Array>

/** Adds nothing. */
export const AS_IT_IS: Complete = async ({ data }) => data

/** Applies several additions one after the other. */
export const allOf =
  (...all: readonly Complete[]): Complete =>
  async (entry) => {
    let data = entry.data
    for (const complete of all) data = await complete({ ...entry, data })
    return data
  }

/** Opens an empty best result. It writes files to `directory`. */
export const openBestResult = (directory: string, report: Report, complete: Complete = AS_IT_IS): BestResult => {
  let best: ResultFile | undefined
  let encodes = 0
  let files = 0
  // A draft that becomes the result at a deadline counts as an encode.
  const countFor = ({ untouched }: Pick<ResultFile, 'untouched'>): number =>
    untouched === true ? encodes : Math.max(1, encodes)
  return {
    add: async ({ data: bare, exact, ...entry }) => {
      const data = await complete({ data: bare, ...(exact === undefined ? {} : { exact }), ...entry })
      const result: ResultFile = {
        ...entry,
        path: '',
        bytes: data.length,
        frames: 1,
        encodes: countFor(entry),
        warnings: [],
      }
      if (betterOf(best, result) !== result) return
      files += 1
      const path = join(directory, `result-${files}`)
      await writeFile(path, data)
      best = { ...result, path }
      report.offer(best)
    },
    encoded: () => {
      encodes += 1
    },
    best: () => (best === undefined ? undefined : { ...best, encodes: countFor(best) }),
    bytesToBeat: () =>
      best !== undefined && (best.meetsTarget === true || best.untouched === true)
        ? best.bytes
        : Number.POSITIVE_INFINITY,
  }
}
