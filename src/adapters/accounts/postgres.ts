import { setTimeout as sleep } from 'node:timers/promises'
import { Kysely, sql } from 'kysely'
import { Failure, isStoreAway } from '../../core/failure.ts'
import type { AccountAdmin, Accounts } from '../../ports/accounts.ts'
import type { StoreWatch } from '../../ports/store-watch.ts'
import { hostAndPath } from '../../support/host-and-path.ts'
import { makeTurns } from '../../support/in-turn.ts'
import { openAccountStore, STALE_AFTER_MS } from './account-store.ts'
import * as charges from './charges.ts'
import { shareValue } from './installation.ts'
import { openJournal } from './journal.ts'
import { openJournaledAccounts } from './journaled.ts'
import { migrate } from './migrations.ts'
import { mayPass, troubleOf } from './postgres-errors.ts'
import { openPostgresPool, postgresDialect } from './postgres-pool.ts'
import type { AccountsSchema } from './schema.ts'
import { whenFree } from './when-free.ts'

export interface PostgresAccountsSettings {
  /** `postgres://user:password@host:port/database` */
  readonly url: string
  /** Maximum connections. Default: 10. */
  readonly connections?: number
  /** Total quota of accounts on the plan `trial` without a quota of their own (§7). */
  readonly trialQuota: number
  /** Default: the database's clock, so that nodes with different clocks agree on months and ages. */
  readonly now?: () => Date
  /** ms after which a reservation that was neither settled nor renewed is released. Default: 15 minutes. */
  readonly staleAfter?: number
  /** ms between sweeps of reservations. Default: a minute. */
  readonly sweepEveryMs?: number
  /** File for ends of charges while the database is away. Without it they fail. */
  readonly journal?: string
  readonly watch?: StoreWatch
  /** Called with the names of the executed migrations. */
  readonly onMigrated?: (names: readonly string[]) => void
  /** Maximum ms that opening waits for a server that is starting. */
  readonly timeoutMs?: number
}

/** Accounts in PostgreSQL, and other values that its nodes share. */
export type PostgresAccounts = Accounts &
  AccountAdmin & {
    /** The value that all nodes share under a name. `mine` if there was none. */
    readonly share: (name: string, mine: string) => Promise<string>
  }

/** ms for which colliding work is repeated. Three nodes that a proxy tries in turn then refuse before its timeout. */
const COLLISIONS_MS = 6000

type Run = <T>(work: () => Promise<T>) => Promise<T>

const explain = (url: string, error: unknown): Error => {
  const code = error instanceof Error && 'code' in error ? `${error.code}: ` : ''
  const why = (error instanceof Error && error.message) || String(error)
  return new Error(
    `The accounts database at ${hostAndPath(url)} cannot be used (${code}${why}). Check DATABASE_URL: host, port, name, user and password, and that the user may make tables.`,
    { cause: error },
  )
}

/**
 * Repeats work after a collision, and once after a lost connection, since every query here can be repeated. Then fails with STORE_AWAY.
 */
const makeRun = (watch: StoreWatch | undefined): Run => {
  const isBusy = (error: unknown): boolean => troubleOf(error) === 'collision'
  const once: Run = (work) => whenFree(work, { isBusy, timeoutMs: COLLISIONS_MS })
  const isLost = (error: unknown): boolean => troubleOf(error) === 'away' && !/timeout/i.test(String(error))
  return async (work) => {
    try {
      const done = await once(work).catch((error: unknown) => {
        if (!isLost(error)) throw error
        return once(work)
      })
      watch?.back()
      return done
    } catch (error) {
      const trouble = troubleOf(error)
      if (trouble === 'fault') throw error
      // A table that stays locked is no outage.
      if (trouble === 'away') watch?.away(error)
      throw new Failure({ code: 'STORE_AWAY', args: [] }, error)
    }
  }
}

/** Waits for a server that is starting. Throws other errors immediately. */
const whenStarted = (db: Kysely<AccountsSchema>, timeoutMs: number): Promise<unknown> => {
  const end = performance.now() + timeoutMs
  const ask = async (): Promise<unknown> => {
    try {
      return await sql`select 1`.execute(db)
    } catch (error) {
      if (!mayPass(error) || performance.now() > end) throw error
      await sleep(250)
      return ask()
    }
  }
  return ask()
}

/** This node's copy of the database's clock. */
interface DatabaseClock {
  /** The server's last answer plus the monotonic time since. */
  readonly now: () => Date
  /** Asks the server again, since the monotonic clock may stop while the machine is suspended. */
  readonly sync: () => Promise<void>
}

const openClock = async (db: Kysely<AccountsSchema>): Promise<DatabaseClock> => {
  let ahead = 0
  const sync = async (): Promise<void> => {
    const sentAt = performance.now()
    const { rows } = await sql<{
      ms: number
    }>`select extract(epoch from clock_timestamp())::float8 * 1000 as ms`.execute(db)
    if (rows[0] !== undefined) ahead = rows[0].ms - (sentAt + performance.now()) / 2
  }
  await sync()
  return { now: () => new Date(performance.now() + ahead), sync }
}

const prepare = async (
  settings: PostgresAccountsSettings,
): Promise<{ db: Kysely<AccountsSchema>; clock: DatabaseClock }> => {
  const { url, connections = 10, watch, onMigrated, timeoutMs = 10_000 } = settings
  const onLost = (error: Error): void => watch?.away(error)
  const pool = await openPostgresPool({ url, connections, onLost }).catch((error: unknown) => {
    throw explain(url, error)
  })
  const db = new Kysely<AccountsSchema>({ dialect: postgresDialect(pool) })
  try {
    await whenStarted(db, timeoutMs)
    const names = await migrate(db)
    if (names.length > 0) onMigrated?.(names)
    return { db, clock: await openClock(db) }
  } catch (error) {
    await db.destroy()
    throw explain(url, error)
  }
}

/**
 * Accounts in a PostgreSQL database, shared by any number of nodes. Opening migrates the tables under an advisory lock, and throws one
 * plain sentence when the database cannot be used. Later, calls fail with STORE_AWAY while the database is away.
 */
export const openPostgresAccounts = async (settings: PostgresAccountsSettings): Promise<PostgresAccounts> => {
  const { trialQuota, staleAfter = STALE_AFTER_MS, watch } = settings
  const { db, clock } = await prepare(settings)
  const { now = clock.now, sweepEveryMs } = settings
  const run = makeRun(watch)
  const opened = await openAccountStore({ db, run, now, sync: clock.sync, sweepEveryMs, trialQuota, staleAfter })
  // Charges of one account wait for the same row. Waiting here leaves the connections to other accounts.
  const inTurn = makeTurns()
  const store: Accounts & AccountAdmin = {
    ...opened,
    reserve: (username, requestId, holder) => inTurn(username, () => opened.reserve(username, requestId, holder)),
  }
  const share: PostgresAccounts['share'] = (name, mine) => run(() => shareValue(db, name, mine))
  if (settings.journal === undefined) return { ...store, share }
  const journaled = await openJournaledAccounts({
    accounts: store,
    journal: await openJournal(settings.journal),
    isAway: isStoreAway,
    apply: ({ act, requestId, holder, username, reservedAt }) =>
      run(() =>
        act === 'release'
          ? charges.release(db, { requestId, holder })
          : charges.settleLate(db, { username, requestId, at: new Date(reservedAt) }),
      ),
    now,
  })
  return { ...store, ...journaled, share }
}
