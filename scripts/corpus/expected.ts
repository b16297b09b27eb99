import { readFile, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'

/** Status by file and option list; `*` stands for every list that has no row of its own. */
export type Expected = Map<string, Map<string, number>>

const TABLE = fileURLToPath(new URL('../../test/corpus-expected.tsv', import.meta.url))
const HEADER = 'file\toptions\tstatus'

/** Reads the committed table. */
export const readExpected = async (): Promise<Expected> => {
  const expected: Expected = new Map()
  const text = await readFile(TABLE, 'utf8').catch(() => '')
  for (const line of text.split('\n').slice(1).filter(Boolean)) {
    const [file = '', options = '*', status = ''] = line.split('\t')
    expected.set(file, (expected.get(file) ?? new Map<string, number>()).set(options, Number(status)))
  }
  return expected
}

/** The status that a request must get; undefined for files that the table does not know. */
export const expectedStatus = (expected: Expected, file: string, options: string): number | undefined => {
  const rows = expected.get(file)
  return rows?.get(options) ?? rows?.get('*')
}

const rowsOf = (seen: ReadonlyMap<string, number>): ReadonlyMap<string, number> => {
  const statuses = new Set(seen.values())
  const [only] = statuses
  return statuses.size === 1 && only !== undefined ? new Map([['*', only]]) : seen
}

/** Writes the table with the statuses of this run; files that were not sent keep their rows. */
export const writeExpected = async (before: Expected, seen: Expected): Promise<void> => {
  const all = new Map(before)
  for (const [file, statuses] of seen) all.set(file, new Map(rowsOf(statuses)))
  const lines = [...all]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([file, rows]) => [...rows].map(([options, status]) => `${file}\t${options}\t${status}`))
  await writeFile(TABLE, `${[HEADER, ...lines].join('\n')}\n`)
}
