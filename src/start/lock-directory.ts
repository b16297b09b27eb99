import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { isBusy, openDatabase } from '../adapters/accounts/node-sqlite.ts'

/** A data directory that is ours until it is closed, or this process ends in whatever way. */
export interface DirectoryLock {
  readonly close: () => void
}

/** The lock of the system: SQLite takes one on the file, which a process cannot leave behind. */
const takeLock = (path: string): DatabaseSync | undefined => {
  const database = openDatabase(path)
  try {
    database.exec('pragma locking_mode = exclusive; begin exclusive')
    return database
  } catch (error) {
    database.close()
    if (isBusy(error)) return undefined
    throw error
  }
}

/** Takes a data directory for this process alone; fails with a sentence that names the process that has it. */
export const lockDirectory = async (directory: string): Promise<DirectoryLock> => {
  const holder = join(directory, 'lock.pid')
  const database = takeLock(join(directory, 'lock'))
  if (database === undefined) {
    const pid = (await readFile(holder, 'utf8').catch(() => '')).trim()
    throw new Error(
      `The data directory ${directory} is in use by ${pid === '' ? 'another process' : `process ${pid}`}. Stop that one, or set DATA_DIR to another directory.`,
    )
  }
  await writeFile(holder, `${process.pid}\n`)
  return { close: () => database.close() }
}
