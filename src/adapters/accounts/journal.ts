import { mkdir, open, readFile, rename } from 'node:fs/promises'
import { dirname } from 'node:path'

/** The end of a charge while the database was away. */
export interface JournalEntry {
  readonly act: 'settle' | 'release'
  readonly requestId: string
  /** Of a release: whose. Absent in what an earlier version wrote. */
  readonly holder?: string
  readonly username: string
  /** Ms since the epoch at which it was reserved: the month that it counts in. */
  readonly reservedAt: number
}

/** Charges that could not be written while the database is away: lines of JSON in one file, on the disk before `add` resolves. */
export interface Journal {
  readonly add: (entry: JournalEntry) => Promise<void>
  readonly size: () => number
  /** Calls `apply` with each entry, oldest first, and removes those that succeed; stops at the first that throws. */
  readonly replay: (apply: (entry: JournalEntry) => Promise<void>) => Promise<void>
}

const isEntry = (value: unknown): value is JournalEntry => {
  const entry = value as Partial<JournalEntry> | null
  return (
    (entry?.act === 'settle' || entry?.act === 'release') &&
    typeof entry.requestId === 'string' &&
    (entry.holder === undefined || typeof entry.holder === 'string') &&
    typeof entry.username === 'string' &&
    Number.isFinite(entry.reservedAt)
  )
}

/** The entry on a line; a line that a power failure tore is none. */
const parseLine = (line: string): JournalEntry[] => {
  try {
    const value: unknown = JSON.parse(line)
    return isEntry(value) ? [value] : []
  } catch {
    return []
  }
}

const readEntries = async (path: string): Promise<JournalEntry[]> => {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return ''
    throw error
  })
  return text.split('\n').flatMap(parseLine)
}

const lineOf = (entry: JournalEntry): string => `${JSON.stringify(entry)}\n`

const write = async (path: string, flags: 'a' | 'w', text: string): Promise<void> => {
  const file = await open(path, flags, 0o600)
  try {
    await file.writeFile(text)
    await file.sync()
  } finally {
    await file.close()
  }
}

/** Replaces the file by one rename, so that a crash leaves the old or the new one. */
const rewrite = async (path: string, entries: readonly JournalEntry[]): Promise<void> => {
  await write(`${path}.part`, 'w', entries.map(lineOf).join(''))
  await rename(`${path}.part`, path)
}

/** Opens the journal at `path` with what an earlier run left in it. */
export const openJournal = async (path: string): Promise<Journal> => {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  let entries = await readEntries(path)
  let last: Promise<unknown> = Promise.resolve()
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const mine = last.then(work)
    last = mine.catch(() => undefined)
    return mine
  }
  const forget = (done: readonly JournalEntry[]): Promise<void> =>
    inTurn(async () => {
      entries = entries.filter((entry) => !done.includes(entry))
      await rewrite(path, entries)
    })
  return {
    add: (entry) =>
      inTurn(async () => {
        await write(path, 'a', lineOf(entry))
        entries.push(entry)
      }),
    size: () => entries.length,
    replay: async (apply) => {
      const done: JournalEntry[] = []
      try {
        for (const entry of [...entries]) {
          await apply(entry)
          done.push(entry)
        }
      } finally {
        if (done.length > 0) await forget(done)
      }
    },
  }
}
