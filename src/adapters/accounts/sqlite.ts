import { closeSync, mkdirSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { Kysely } from 'kysely'
import { type AccountAdmin, type Accounts, isUsername } from '../../ports/accounts.ts'
import { migrate } from './migrations.ts'
import { isBusy, nodeSqliteDialect, openDatabase } from './node-sqlite.ts'
import * as queries from './queries.ts'
import type { AccountsSchema } from './schema.ts'
import { whenFree } from './when-free.ts'

export interface SqliteAccountsSettings {
  /** Database file; made, with its directory, when it is not there. */
  readonly path: string
  /** Images in all for accounts on the plan `trial` that have no quota of their own (§7). */
  readonly trialQuota: number
  readonly now?: () => Date
  /** Ms after which a reservation that was neither settled nor released is given back; default 15 minutes. */
  readonly staleAfter?: number
}

const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE

/** Prepares the file under the write lock, so that of several processes that start at once one does it and the rest wait. */
const prepare = async (database: DatabaseSync, db: Kysely<AccountsSchema>): Promise<void> => {
  const patience = { isBusy, patience: 20_000 }
  await whenFree(() => database.exec('pragma journal_mode = wal'), patience)
  database.exec('pragma synchronous = normal')
  await whenFree(() => database.exec('begin immediate'), patience)
  try {
    await migrate(db)
    database.exec('commit')
  } catch (error) {
    database.exec('rollback')
    throw error
  }
}

/** Usernames are what callers identify themselves by: the file is for its owner only. */
const makeFile = (path: string): void => {
  mkdirSync(dirname(path), { recursive: true })
  closeSync(openSync(path, 'a', 0o600))
}

const open = async (path: string): Promise<Kysely<AccountsSchema>> => {
  makeFile(path)
  const database = openDatabase(path)
  const db = new Kysely<AccountsSchema>({ dialect: nodeSqliteDialect(database) })
  try {
    await prepare(database, db)
    return db
  } catch (error) {
    database.close()
    throw error
  }
}

const explain = (path: string, error: unknown): Error => {
  const why = error instanceof Error ? error.message : String(error)
  return new Error(
    `The accounts database "${path}" cannot be opened (${why}). Make the file and its directory readable and writable for this user, or choose another data directory.`,
    { cause: error },
  )
}

/** Accounts in one SQLite file, which any number of processes on one machine may share. Throws one plain sentence when it cannot be used. */
export const openSqliteAccounts = async (settings: SqliteAccountsSettings): Promise<Accounts & AccountAdmin> => {
  const { path, trialQuota, now = () => new Date(), staleAfter = 15 * MINUTE } = settings
  const db = await open(path).catch((error: unknown) => {
    throw explain(path, error)
  })
  const patiently = <T>(work: () => Promise<T>): Promise<T> => whenFree(work, { isBusy, patience: 10_000 })
  const present = () => ({ month: queries.monthOf(now()), trialQuota })
  const find = (username: string) => patiently(() => queries.find(db, username, present()))
  const sweep = () =>
    patiently(() =>
      queries.sweep(db, { heldBefore: now().getTime() - staleAfter, settledBefore: now().getTime() - DAY }),
    )

  await sweep()
  // What a sweep could not do, the next one does; a database that is gone for good shows in the next request.
  const timer = setInterval(() => void sweep().catch(() => undefined), MINUTE).unref()

  return {
    find,
    reserve: (username, requestId) =>
      patiently(() => queries.reserve(db, { username, requestId, at: now(), trialQuota })),
    release: (requestId) => patiently(() => queries.release(db, requestId)),
    settle: (requestId) => patiently(() => queries.settle(db, requestId)),
    close: async () => {
      clearInterval(timer)
      await db.destroy()
    },
    add: async (username, given) => {
      if (!isUsername(username)) {
        throw new Error(
          `"${username}" cannot be a username. Use at most 64 letters, digits, "_", "." or "-", not starting with "-".`,
        )
      }
      const added = await patiently(() => queries.add(db, username, given, now))
      const account = await find(username)
      if (!added || account === undefined) throw new Error(`There is already an account "${username}".`)
      return account
    },
    list: () => patiently(() => queries.list(db, present())),
    set: async (username, given) => {
      await patiently(() => queries.set(db, username, given))
      return find(username)
    },
    remove: (username) => patiently(() => queries.remove(db, username)),
    usage: (username) => patiently(() => queries.usage(db, username)),
  }
}
