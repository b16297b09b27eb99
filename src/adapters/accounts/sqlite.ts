import { closeSync, mkdirSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { Kysely } from 'kysely'
import { Failure } from '../../core/failure.ts'
import type { AccountAdmin, Accounts } from '../../ports/accounts.ts'
import { openAccountStore, STALE_AFTER_MS } from './account-store.ts'
import { migrate } from './migrations.ts'
import { isBusy, nodeSqliteDialect, openDatabase } from './node-sqlite.ts'
import type { AccountsSchema } from './schema.ts'
import { whenFree } from './when-free.ts'

export interface SqliteAccountsSettings {
  /** Database file. Created with its directory if missing. */
  readonly path: string
  /** Total quota of accounts on the plan `trial` without a quota of their own (§7). */
  readonly trialQuota: number
  readonly now?: () => Date
  /** ms after which a reservation that was neither settled nor renewed is released. Default: 15 minutes. */
  readonly staleAfter?: number
  /** Called with the names of the executed migrations. */
  readonly onMigrated?: (names: readonly string[]) => void
}

/** Migrates the file under the write lock, so that concurrently starting processes wait for the first one. */
const prepare = async (database: DatabaseSync, db: Kysely<AccountsSchema>): Promise<readonly string[]> => {
  const atStart = { isBusy, timeoutMs: 20_000 }
  await whenFree(() => database.exec('pragma journal_mode = wal'), atStart)
  database.exec('pragma synchronous = normal')
  await whenFree(() => database.exec('begin immediate'), atStart)
  try {
    const names = await migrate(db)
    database.exec('commit')
    return names
  } catch (error) {
    database.exec('rollback')
    throw error
  }
}

/** Creates the file for its owner only, since usernames may grant access. */
const makeFile = (path: string): void => {
  mkdirSync(dirname(path), { recursive: true })
  closeSync(openSync(path, 'a', 0o600))
}

const open = async ({ path, onMigrated }: SqliteAccountsSettings): Promise<Kysely<AccountsSchema>> => {
  makeFile(path)
  const database = openDatabase(path)
  const db = new Kysely<AccountsSchema>({ dialect: nodeSqliteDialect(database) })
  try {
    const names = await prepare(database, db)
    if (names.length > 0) onMigrated?.(names)
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

/** Accounts in one SQLite file, shared by any number of processes on one machine. Throws one plain sentence when it cannot be used. */
export const openSqliteAccounts = async (settings: SqliteAccountsSettings): Promise<Accounts & AccountAdmin> => {
  const { path, trialQuota, now = () => new Date(), staleAfter = STALE_AFTER_MS } = settings
  const db = await open(settings).catch((error: unknown) => {
    throw explain(path, error)
  })
  const run = <T>(work: () => Promise<T>): Promise<T> =>
    whenFree(work, { isBusy, timeoutMs: 10_000 }).catch((error: unknown) => {
      throw isBusy(error) ? new Failure({ code: 'STORE_AWAY', args: [] }, error) : error
    })
  return openAccountStore({ db, run, now, trialQuota, staleAfter })
}
