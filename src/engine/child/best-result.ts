import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Made } from '../../core/outcome.ts'
import { betterOf } from '../../plan/winner.ts'
import type { Report } from './report.ts'

/** Bytes that may become the result, with their measurements. */
export type Entry = Omit<Made, 'path' | 'bytes' | 'encodes' | 'warnings' | 'frames'> & {
  readonly data: Uint8Array
  /** Decodes to the pixels that were asked for. */
  readonly exact?: true
}

/** The best result of one job so far. */
export interface BestResult {
  /** Keeps and offers the entry if it is better than what is there. */
  readonly add: (entry: Entry) => Promise<void>
  readonly encoded: () => void
  readonly best: () => Made | undefined
  /** Bytes of the best result that meets its target; Infinity while there is none. */
  readonly bytesToBeat: () => number
}

/** Gives the bytes of an entry what belongs to every result of the job. */
export type Complete = (entry: Entry) => Promise<Uint8Array>

export const AS_IT_IS: Complete = async ({ data }) => data

/** One after the other. */
export const allOf =
  (...all: readonly Complete[]): Complete =>
  async (entry) => {
    let data = entry.data
    for (const complete of all) data = await complete({ ...entry, data })
    return data
  }

/** Opens a best result that is not there yet; its files lie in `directory`. */
export const openBestResult = (directory: string, report: Report, complete: Complete = AS_IT_IS): BestResult => {
  let best: Made | undefined
  let encodes = 0
  let files = 0
  // A draft that ends as the result, for want of time, was an encode after all.
  const countFor = ({ untouched }: Pick<Made, 'untouched'>): number =>
    untouched === true ? encodes : Math.max(1, encodes)
  return {
    add: async ({ data: bare, exact, ...entry }) => {
      const data = await complete({ data: bare, ...(exact === undefined ? {} : { exact }), ...entry })
      const made: Made = { ...entry, path: '', bytes: data.length, frames: 1, encodes: countFor(entry), warnings: [] }
      if (betterOf(best, made) !== made) return
      files += 1
      const path = join(directory, `result-${files}`)
      await writeFile(path, data)
      best = { ...made, path }
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
