import { type ExpressionBuilder, type Kysely, type RawBuilder, sql, type Transaction } from 'kysely'
import { readSigningKey } from '../../core/signing-key.ts'
import {
  type Account,
  type AccountLimits,
  type AccountSettings,
  type Delivery,
  type Holder,
  TRIAL_PLAN,
} from '../../ports/accounts.ts'
import type { AccountsSchema } from './schema.ts'

// Every query of the accounts, in SQL that SQLite and PostgreSQL read alike.

type Db = Kysely<AccountsSchema>
type Trx = Transaction<AccountsSchema>
type Now = () => Date

const TOTAL = 'total'
const UNLIMITED = Number.MAX_SAFE_INTEGER

/** The key under which a calendar month is counted: `YYYY-MM`, UTC. A new month simply counts in a new row. */
export const monthOf = (date: Date): string => date.toISOString().slice(0, 7)

/** Which row of `usage` the quota of an account is held against. */
const gatePeriod = (month: string): RawBuilder<string> =>
  sql<string>`case when accounts.period = ${TOTAL} or accounts.plan = ${TRIAL_PLAN} then ${TOTAL} else ${month} end`

/** The other row, which is counted only to be looked at. */
const historyPeriod = (month: string): RawBuilder<string> =>
  sql<string>`case when accounts.period = ${TOTAL} or accounts.plan = ${TRIAL_PLAN} then ${month} else ${TOTAL} end`

// The casts are for PostgreSQL, which takes a parameter whose type nothing tells for text.
const effectiveQuota = (trialQuota: number): RawBuilder<number> => sql<number>`coalesce(accounts.quota,
  case when accounts.plan = ${TRIAL_PLAN} then cast(${trialQuota} as bigint) else cast(${UNLIMITED} as bigint) end)`

/**
 * The charge: one statement that counts one more image only while the quota allows it, and tells by returning
 * a row whether it did. Two of them at once cannot both take the last image, since the conflict is decided
 * on the locked row, not on what was read before.
 */
const charge = async (trx: Trx, username: string, at: { month: string; trialQuota: number }): Promise<boolean> => {
  const quota = effectiveQuota(at.trialQuota)
  const row = await trx
    .insertInto('usage')
    .columns(['username', 'period', 'used'])
    .expression((eb) =>
      eb
        .selectFrom('accounts')
        .select(['accounts.username', gatePeriod(at.month).as('period'), sql<number>`1`.as('used')])
        .where('accounts.username', '=', username)
        .where('accounts.suspended', '=', 0)
        .where(quota, '>', 0),
    )
    .onConflict((conflict) =>
      conflict
        .columns(['username', 'period'])
        .doUpdateSet((eb) => ({ used: eb('usage.used', '+', 1) }))
        .where((eb) =>
          eb(
            'usage.used',
            '<',
            eb.selectFrom('accounts').select(quota.as('quota')).whereRef('accounts.username', '=', 'usage.username'),
          ),
        ),
    )
    .returning('used')
    .executeTakeFirst()
  return row !== undefined
}

/** Counts one more image in a row of `usage`, whatever the quota says. */
const count = (trx: Trx, username: string, period: RawBuilder<string>): Promise<unknown> =>
  trx
    .insertInto('usage')
    .columns(['username', 'period', 'used'])
    .expression((eb) =>
      eb
        .selectFrom('accounts')
        .select(['accounts.username', period.as('period'), sql<number>`1`.as('used')])
        .where('accounts.username', '=', username),
    )
    .onConflict((conflict) =>
      conflict.columns(['username', 'period']).doUpdateSet((eb) => ({ used: eb('usage.used', '+', 1) })),
    )
    .execute()

/** A charge that is wanted: whose, by which request, held by which of its tries. */
interface Charge {
  readonly username: string
  readonly requestId: string
  readonly holder?: Holder | undefined
  readonly at: Date
}

/** Records the request id; false when it was recorded before, or there is no such account. */
const record = async (trx: Trx, charged: Charge): Promise<boolean> => {
  const row = await trx
    .insertInto('reservations')
    .columns(['request_id', 'username', 'month', 'state', 'holder', 'reserved_at'])
    .expression((eb) =>
      eb
        .selectFrom('accounts')
        .select([
          sql<string>`${charged.requestId}`.as('request_id'),
          'accounts.username',
          sql<string>`${monthOf(charged.at)}`.as('month'),
          sql<'held'>`'held'`.as('state'),
          sql<string | null>`cast(${charged.holder?.name ?? null} as text)`.as('holder'),
          sql<number>`cast(${charged.at.getTime()} as bigint)`.as('reserved_at'),
        ])
        .where('accounts.username', '=', charged.username),
    )
    .onConflict((conflict) => conflict.column('request_id').doNothing())
    .returning('request_id')
    .executeTakeFirst()
  return row !== undefined
}

/** The column `holder` with one more: alone, or beside those that hold the charge already, each after a space. */
const heldBy = (holder: Holder | undefined): RawBuilder<string | null> =>
  holder?.jointly === true
    ? sql`coalesce(holder || ' ', '') || cast(${holder.name} as text)`
    : sql`cast(${holder?.name ?? null} as text)`

/** The column `holder` without one. */
const heldWithout = (name: string): RawBuilder<string> =>
  sql`trim(replace(' ' || holder || ' ', cast(${` ${name} `} as text), ' '))`

/** Takes over, or holds as well, what was reserved under the same id; false when nothing was. */
const takeOver = async (trx: Trx, { requestId, holder, at }: Charge): Promise<boolean> => {
  const row = await trx
    .updateTable('reservations')
    .set({ holder: heldBy(holder), reserved_at: at.getTime() })
    .where('request_id', '=', requestId)
    .returning('request_id')
    .executeTakeFirst()
  return row !== undefined
}

class Refused extends Error {}

/** Takes one image from the quota under this request id; false when there is none left (or no such account). */
export const reserve = async (db: Db, wanted: Charge & { readonly trialQuota: number }): Promise<boolean> => {
  const month = monthOf(wanted.at)
  try {
    return await db.transaction().execute(async (trx) => {
      // The record comes first: it takes the write lock before anything is read, and the primary key makes
      // a second request with the same id wait for the first instead of charging again.
      if (!(await record(trx, wanted))) {
        if (await takeOver(trx, wanted)) return true
        // Released between the two statements, or no such account.
        if (!(await record(trx, wanted))) return false
      }
      // Throwing takes the record back: a refused charge leaves no trace.
      if (!(await charge(trx, wanted.username, { month, trialQuota: wanted.trialQuota }))) throw new Refused()
      await count(trx, wanted.username, historyPeriod(month))
      return true
    })
  } catch (error) {
    if (error instanceof Refused) return false
    throw error
  }
}

type Charged = { readonly username: string; readonly month: string }

/** Counts one image less in the rows of its month and of all time, in the order in which a charge locks them: no deadlock. */
const giveBack = async (trx: Trx, charged: readonly Charged[]): Promise<void> => {
  for (const { username, month } of charged.toSorted((a, b) => (a.username < b.username ? -1 : 1))) {
    for (const period of [gatePeriod(month), historyPeriod(month)]) {
      await trx
        .updateTable('usage')
        .set((eb) => ({ used: eb('used', '-', 1) }))
        .where('username', '=', username)
        .where('period', '=', (eb) =>
          eb.selectFrom('accounts').select(period.as('period')).where('username', '=', username),
        )
        .where('used', '>', 0)
        .execute()
    }
  }
}

/** A charge that one of those who hold it lets go of. */
interface Released {
  readonly requestId: string
  /** Absent: whoever holds it. */
  readonly holder?: string | undefined
}

/** Gives a held charge back to the month that it was taken from; a settled one, or one that others hold, stays. */
export const release = (db: Db, { requestId, holder }: Released): Promise<void> =>
  db.transaction().execute(async (trx) => {
    if (holder !== undefined)
      await trx
        .updateTable('reservations')
        .set({ holder: heldWithout(holder) })
        .where('request_id', '=', requestId)
        .where('state', '=', 'held')
        .where('holder', 'is not', null)
        .execute()
    const charged = await trx
      .deleteFrom('reservations')
      .where('request_id', '=', requestId)
      .where('state', '=', 'held')
      .$if(holder !== undefined, (query) =>
        query.where((eb) => eb.or([eb('holder', 'is', null), eb('holder', '=', '')])),
      )
      .returning(['username', 'month'])
      .execute()
    await giveBack(trx, charged)
  })

/** Counts the time of a held charge anew from `at`. */
export const renew = async (db: Db, requestId: string, at: Date): Promise<void> => {
  await db
    .updateTable('reservations')
    .set({ reserved_at: at.getTime() })
    .where('request_id', '=', requestId)
    .where('state', '=', 'held')
    .execute()
}

/** Keeps a held charge for good. */
export const settle = async (db: Db, requestId: string): Promise<void> => {
  await db
    .updateTable('reservations')
    .set({ state: 'settled' })
    .where('request_id', '=', requestId)
    .where('state', '=', 'held')
    .execute()
}

/**
 * Keeps a charge that was delivered while the database was away, whatever became of its reservation meanwhile: when a sweep
 * gave it back, it is counted again, beyond the quota if need be. Idempotent by request id.
 */
export const settleLate = (db: Db, late: Charge): Promise<void> =>
  db.transaction().execute(async (trx) => {
    const settled = await trx
      .updateTable('reservations')
      .set({ state: 'settled' })
      .where('request_id', '=', late.requestId)
      .returning('request_id')
      .executeTakeFirst()
    if (settled !== undefined || !(await record(trx, late))) return
    await trx.updateTable('reservations').set({ state: 'settled' }).where('request_id', '=', late.requestId).execute()
    const month = monthOf(late.at)
    await count(trx, late.username, gatePeriod(month))
    await count(trx, late.username, historyPeriod(month))
  })

/** Gives back what killed processes left held before `heldBefore`, and forgets settled ids from before `settledBefore`. */
export const sweep = (db: Db, before: { heldBefore: number; settledBefore: number }): Promise<void> =>
  db.transaction().execute(async (trx) => {
    await trx
      .deleteFrom('reservations')
      .where('state', '=', 'settled')
      .where('reserved_at', '<', before.settledBefore)
      .execute()
    const left = await trx
      .deleteFrom('reservations')
      .where('state', '=', 'held')
      .where('reserved_at', '<', before.heldBefore)
      .returning(['username', 'month'])
      .execute()
    await giveBack(trx, left)
  })

const LIMIT_COLUMNS = {
  maxBytes: 'max_bytes',
  maxPixels: 'max_pixels',
  maxSide: 'max_side',
  maxTimeout: 'max_timeout',
  rate: 'rate',
} as const satisfies Record<keyof AccountLimits, keyof AccountsSchema['accounts']>

const LIMITS = Object.keys(LIMIT_COLUMNS) as (keyof AccountLimits)[]

const selectAccounts = (db: Db, at: { month: string; trialQuota: number }) =>
  db
    .selectFrom('accounts')
    .leftJoin('usage', (join) =>
      join
        .onRef('usage.username', '=', 'accounts.username')
        .on((eb: ExpressionBuilder<AccountsSchema, 'accounts' | 'usage'>) =>
          eb('usage.period', '=', gatePeriod(at.month)),
        ),
    )
    .selectAll('accounts')
    .select([effectiveQuota(at.trialQuota).as('effective_quota'), 'usage.used'])

type AccountRow = Awaited<ReturnType<ReturnType<typeof selectAccounts>['execute']>>[number]

const limitsOf = (row: AccountRow): AccountLimits =>
  Object.fromEntries(
    LIMITS.flatMap((limit) => (row[LIMIT_COLUMNS[limit]] === null ? [] : [[limit, row[LIMIT_COLUMNS[limit]]]])),
  )

const partsOf = (text: string | null, separator: string): string[] => (text ?? '').split(separator).filter(Boolean)

const deliveryOf = (row: AccountRow): Delivery | undefined => {
  const hosts = partsOf(row.deliver, ',')
  const keys = partsOf(row.signing_keys, ' ').flatMap((text) => readSigningKey(text) ?? [])
  return hosts.length + keys.length === 0 ? undefined : { hosts, keys }
}

const deliveryPart = (delivery: Delivery | undefined) => (delivery === undefined ? {} : { delivery })

const toAccount = (row: AccountRow): Account => ({
  username: row.username,
  plan: row.plan,
  suspended: row.suspended === 1,
  ...(row.effective_quota === UNLIMITED ? {} : { quota: row.effective_quota }),
  period: row.plan === TRIAL_PLAN ? 'total' : row.period,
  used: row.used ?? 0,
  limits: limitsOf(row),
  ...deliveryPart(deliveryOf(row)),
})

/** The account of exactly this username, with what it has used of the period under way. */
export const find = async (
  db: Db,
  username: string,
  at: { month: string; trialQuota: number },
): Promise<Account | undefined> => {
  const row = await selectAccounts(db, at).where('accounts.username', '=', username).executeTakeFirst()
  return row === undefined ? undefined : toAccount(row)
}

/** All accounts by name. */
export const list = async (db: Db, at: { month: string; trialQuota: number }): Promise<readonly Account[]> =>
  (await selectAccounts(db, at).orderBy('accounts.username').execute()).map(toAccount)

/** Characters of a signing key. */
const KEY_LENGTH = 43

/** The new key in front of the newest one before it: one statement, so that two rotations at once lose no key that was told. */
const keysWith = (key: string): RawBuilder<string> =>
  sql<string>`cast(${key} as text) || coalesce(' ' || substr(accounts.signing_keys, 1, cast(${KEY_LENGTH} as integer)), '')`

const columnsOf = (settings: AccountSettings) => ({
  ...(settings.plan === undefined ? {} : { plan: settings.plan }),
  ...(settings.quota === undefined ? {} : { quota: settings.quota }),
  ...(settings.period === undefined ? {} : { period: settings.period }),
  ...(settings.suspended === undefined ? {} : { suspended: settings.suspended ? 1 : 0 }),
  ...(settings.deliver === undefined ? {} : { deliver: settings.deliver?.join(',') ?? null }),
  ...Object.fromEntries(
    LIMITS.flatMap((limit) => {
      const value = settings.limits?.[limit]
      return value === undefined ? [] : [[LIMIT_COLUMNS[limit], value]]
    }),
  ),
})

/** Adds an account; false when the name is taken. */
export const add = async (db: Db, username: string, settings: AccountSettings, now: Now): Promise<boolean> => {
  const row = await db
    .insertInto('accounts')
    .values({
      plan: 'standard',
      ...columnsOf(settings),
      ...(settings.signingKey === undefined ? {} : { signing_keys: settings.signingKey }),
      username,
      created_at: now().getTime(),
    })
    .onConflict((conflict) => conflict.column('username').doNothing())
    .returning('username')
    .executeTakeFirst()
  return row !== undefined
}

/** Changes what is given of an account. */
export const set = async (db: Db, username: string, settings: AccountSettings): Promise<void> => {
  const { signingKey } = settings
  const columns = {
    ...columnsOf(settings),
    ...(signingKey === undefined ? {} : { signing_keys: signingKey === null ? null : keysWith(signingKey) }),
  }
  if (Object.keys(columns).length === 0) return
  await db.updateTable('accounts').set(columns).where('username', '=', username).execute()
}

/** Removes an account and, by cascade, its usage and reservations; false when there is none. */
export const remove = async (db: Db, username: string): Promise<boolean> =>
  (await db.deleteFrom('accounts').where('username', '=', username).returning('username').executeTakeFirst()) !==
  undefined

/** Images charged per calendar month, newest first. */
export const usage = (db: Db, username: string): Promise<{ period: string; used: number }[]> =>
  db
    .selectFrom('usage')
    .select(['period', 'used'])
    .where('username', '=', username)
    .where('period', '!=', TOTAL)
    .orderBy('period', 'desc')
    .execute()

/** The value that all nodes share under a name: the one given first stays. */
export const share = async (db: Db, name: string, value: string): Promise<string> => {
  await db
    .insertInto('installation')
    .values({ name, value })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .execute()
  return (await db.selectFrom('installation').select('value').where('name', '=', name).executeTakeFirstOrThrow()).value
}
