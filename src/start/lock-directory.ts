import { chmodSync, closeSync, existsSync, openSync, statSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { isBusy, openDatabase } from '../adapters/accounts/node-sqlite.ts'

/** A lock on a data directory, until it is closed or this process ends. */
export interface DirectoryLock {
  readonly close: () => void
}

/**
 * Creates the file without access for other users, since a user who can open a file can lock it. Does not open an existing file, since
 * closing it would release this process's locks on it (fcntl(2)).
 */
const makePrivate = (path: string): void => {
  if (!existsSync(path)) closeSync(openSync(path, 'a', 0o600))
  if (statSync(path).uid === process.getuid?.()) chmodSync(path, 0o600)
}

/** Locks the file through SQLite. The system releases the lock when the process ends. */
const takeLock = (path: string): DatabaseSync | undefined => {
  makePrivate(path)
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

/** The process that holds a lock on a file, by Linux's /proc/locks (proc(5)). undefined when it is unknown. */
const holderOf = async (path: string): Promise<number | undefined> => {
  const locks = await readFile('/proc/locks', 'utf8').catch(() => '')
  const line = locks.split('\n').find((text) => text.includes(`:${statSync(path).ino} `))
  const pid = Number(line?.trim().split(/\s+/)[4])
  return pid > 0 ? pid : undefined
}

/** Locks a data directory for this process. The failure names the process that holds it, if known. */
export const lockDirectory = async (directory: string): Promise<DirectoryLock> => {
  const path = join(directory, 'lock')
  const database = takeLock(path)
  if (database === undefined) {
    const pid = await holderOf(path)
    throw new Error(
      `The data directory ${directory} is in use by ${pid === undefined ? 'another process' : `process ${pid}`}. Stop that one, or set DATA_DIR to another directory.`,
    )
  }
  return { close: () => database.close() }
}
