import { open, readFile, rename } from 'node:fs/promises'
import { dirname } from 'node:path'
import { makeTurns } from '../../support/in-turn.ts'
import { makeFolder } from '../../support/make-folder.ts'

/** The end of a charge while the database was away. */
export interface JournalEntry {
  readonly act: 'settle' | 'release'
  readonly requestId: string
  /** The holder that releases. Absent in entries of an earlier version. */
  readonly holder?: string
  readonly username: string
  /** Time of the reservation in ms since the epoch, which determines the month of the charge. */
  readonly reservedAt: number
}

/** Ends of charges while the database is away: one JSON line each, synced to disk before `add` resolves. */
export interface Journal {
  readonly add: (entry: JournalEntry) => Promise<void>
  readonly size: () => number
  /** Calls `apply` with each entry, oldest first, and removes the entry if it succeeds. Stops at the first error. */
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

/** The entry on a line. None for a line that a power failure truncated. */
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

/** The empty line in front ends a line that a crash or a full disk cut off. */
const lineOf = (entry: JournalEntry): string => `\n${JSON.stringify(entry)}\n`

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

/** Opens the journal at `path` with the entries of earlier runs. */
export const openJournal = async (path: string): Promise<Journal> => {
  await makeFolder(dirname(path), 0o700)
  let entries = await readEntries(path)
  const turns = makeTurns()
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => turns(path, work)
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
