import { randomUUID } from 'node:crypto'
import { type Kysely, sql } from 'kysely'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../core/units.ts'
import { type AccountAdmin, type Accounts, isUsername } from '../../ports/accounts.ts'
import * as accountRows from './account-rows.ts'
import * as charges from './charges.ts'
import { monthOf } from './quota.ts'
import type { AccountsSchema } from './schema.ts'

/** A database for accounts, in either dialect. */
export interface AccountDatabase {
  readonly db: Kysely<AccountsSchema>
  /** Runs work, and repeats it after a collision with another process. */
  readonly run: <T>(work: () => Promise<T>) => Promise<T>
  readonly now: () => Date
  /** Synchronises `now` with the clock of a database on another machine. */
  readonly sync?: () => Promise<void>
  /** ms between sweeps. Default: a minute. */
  readonly sweepEveryMs?: number | undefined
  /** Total quota of accounts on the plan `trial` without a quota of their own (§7). */
  readonly trialQuota: number
  /** ms after which a reservation that was neither settled nor renewed is released. */
  readonly staleAfter: number
}

/** Default ms after which a reservation that is not renewed is released. */
export const STALE_AFTER_MS = 15 * MINUTE_MS

const refuseName = (username: string): never => {
  throw new Error(
    `"${username}" cannot be a username. Use at most 64 letters, digits, "_", "." or "-", not starting with "-".`,
  )
}

/** Releases reservations of killed processes, now and once a minute. Returns a function that stops this. */
const startSweeping = async (database: AccountDatabase): Promise<() => void> => {
  const { db, run, now, sync, staleAfter, sweepEveryMs = MINUTE_MS } = database
  let plainFrom = 0
  const sweep = async (): Promise<void> => {
    // Ages are computed by the database's clock, not by this machine's.
    if (sync !== undefined) await run(sync)
    const present = now().getTime()
    const plainBefore = present - HOUR_MS
    const times = { heldBefore: present - staleAfter, plainFrom, plainBefore, settledBefore: present - DAY_MS }
    await charges.sweep(db, times, run)
    plainFrom = plainBefore
  }
  await sweep()
  // The next sweep repeats a failed one. Requests report a database that is away.
  const timer = setInterval(() => void sweep().catch(() => undefined), sweepEveryMs).unref()
  return () => clearInterval(timer)
}

const makeAdmin = (database: AccountDatabase, find: Accounts['find']): AccountAdmin => {
  const { db, run, now, trialQuota } = database
  return {
    add: async (username, settings) => {
      if (!isUsername(username)) refuseName(username)
      const added = await run(() => accountRows.add(db, username, settings, now))
      const account = await find(username)
      if (!added || account === undefined) throw new Error(`There is already an account "${username}".`)
      return account
    },
    list: () => run(() => accountRows.list(db, { month: monthOf(now()), trialQuota })),
    set: async (username, settings) => {
      await run(() => accountRows.set(db, username, settings))
      return find(username)
    },
    remove: (username) => run(() => accountRows.remove(db, username)),
    usage: (username) => run(() => accountRows.usage(db, username)),
  }
}

/** Accounts on an open, migrated database. Closing them closes it. */
export const openAccountStore = async (database: AccountDatabase): Promise<Accounts & AccountAdmin> => {
  const { db, run, now, trialQuota } = database
  const stopSweeping = await startSweeping(database)
  const own = randomUUID()
  const find: Accounts['find'] = (username) =>
    run(() => accountRows.find(db, username, { month: monthOf(now()), trialQuota }))
  return {
    find,
    reserve: (username, requestId, holder = { name: own }) =>
      run(() => charges.reserve(db, { username, requestId, holder, at: now(), trialQuota })),
    renew: (requestId) => run(() => charges.renew(db, requestId, now())),
    release: (requestId, holder = own) => run(() => charges.release(db, { requestId, holder })),
    settle: (requestId) => run(() => charges.settle(db, requestId)),
    ping: () => run(async () => void (await sql`select 1`.execute(db))),
    close: async () => {
      stopSweeping()
      await db.destroy()
    },
    ...makeAdmin(database, find),
  }
}
