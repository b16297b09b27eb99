import { setTimeout as sleep } from 'node:timers/promises'
import { Kysely, sql } from 'kysely'
import { Failure, isStoreAway } from '../../core/failure.ts'
import type { AccountAdmin, Accounts } from '../../ports/accounts.ts'
import type { StoreWatch } from '../../ports/store-watch.ts'
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
  /** Connections at most; default 10. */
  readonly connections?: number
  /** Images in all for accounts on the plan `trial` that have no quota of their own (§7). */
  readonly trialQuota: number
  /** The database's own clock unless given: nodes whose clocks differ agree on months and ages. */
  readonly now?: () => Date
  /** Ms after which a reservation that was neither settled nor released is given back; default 15 minutes. */
  readonly staleAfter?: number
  /** Ms between sweeps of reservations; default a minute. */
  readonly sweepEveryMs?: number
  /** File for charges while the database is away; without it they fail. */
  readonly journal?: string
  readonly watch?: StoreWatch
  /** Called with the names of the migrations that were run at opening. */
  readonly onMigrated?: (names: readonly string[]) => void
  /** How long opening waits for a server that is just starting, in ms. */
  readonly timeoutMs?: number
}

/** Accounts in PostgreSQL, and other values that its nodes share. */
export type PostgresAccounts = Accounts &
  AccountAdmin & {
    /** The value that all nodes share under a name: `mine` when none was given before. */
    readonly share: (name: string, mine: string) => Promise<string>
  }

/** Default number of connections of one node. PostgreSQL allows 100 in all by default. */
const CONNECTIONS = 10

/** Ms for which work that collides is done again: with the wait for a lock, three nodes that a proxy asks in turn refuse within its patience. */
const COLLISIONS_MS = 6000

type Run = <T>(work: () => Promise<T>) => Promise<T>

/** Where the database is, without user and password. */
const placeOf = (url: string): string => {
  const { host, pathname } = new URL(url)
  return `${host}${pathname}`
}

const explain = (url: string, error: unknown): Error => {
  const code = error instanceof Error && 'code' in error ? `${error.code}: ` : ''
  const why = (error instanceof Error && error.message) || String(error)
  return new Error(
    `The accounts database at ${placeOf(url)} cannot be used (${code}${why}). Check DATABASE_URL: host, port, name, user and password, and that the user may make tables.`,
    { cause: error },
  )
}

/** Work that collided is done again, and fails with STORE_AWAY as well where it goes on colliding; a lost connection is tried once more, since every query here can be repeated. */
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
      // A table that is locked for long does not mean that the database is away.
      if (trouble === 'away') watch?.away(error)
      throw new Failure({ code: 'STORE_AWAY', args: [] }, error)
    }
  }
}

/** Waits for a server that is just starting; throws any other error at once. */
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

/** The database's clock, as this node knows it. */
interface DatabaseClock {
  /** The server's time: its last answer plus the monotonic time since. */
  readonly now: () => Date
  /** Asks the server again: the monotonic clock may stop while the machine is suspended. */
  readonly sync: () => Promise<void>
}

const openClock = async (db: Kysely<AccountsSchema>): Promise<DatabaseClock> => {
  let ahead = 0
  const sync = async (): Promise<void> => {
    const asked = performance.now()
    const { rows } = await sql<{
      ms: number
    }>`select extract(epoch from clock_timestamp())::float8 * 1000 as ms`.execute(db)
    if (rows[0] !== undefined) ahead = rows[0].ms - (asked + performance.now()) / 2
  }
  await sync()
  return { now: () => new Date(performance.now() + ahead), sync }
}

const prepare = async (
  settings: PostgresAccountsSettings,
): Promise<{ db: Kysely<AccountsSchema>; clock: DatabaseClock }> => {
  const { url, connections = CONNECTIONS, watch, onMigrated, timeoutMs = 10_000 } = settings
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
 * Accounts in a PostgreSQL database, which any number of nodes share. Opening brings its tables up to date under an advisory
 * lock and throws one plain sentence when it cannot be used; later a database that is away fails with STORE_AWAY.
 */
export const openPostgresAccounts = async (settings: PostgresAccountsSettings): Promise<PostgresAccounts> => {
  const { trialQuota, staleAfter = STALE_AFTER_MS, watch } = settings
  const { db, clock } = await prepare(settings)
  const { now = clock.now, sweepEveryMs } = settings
  const run = makeRun(watch)
  const opened = await openAccountStore({ db, run, now, sync: clock.sync, sweepEveryMs, trialQuota, staleAfter })
  // Charges of one account wait for one row anyway: here they wait without keeping all connections from the others.
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
