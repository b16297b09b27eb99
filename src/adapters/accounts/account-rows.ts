// Accounts: found, listed, added, changed and removed, in SQL that SQLite and PostgreSQL read alike.
import { type ExpressionBuilder, type RawBuilder, sql } from 'kysely'
import { readSigningKey } from '../../core/signing-key.ts'
import {
  type Account,
  type AccountLimits,
  type AccountSettings,
  type Delivery,
  TRIAL_PLAN,
} from '../../ports/accounts.ts'
import { type Db, effectiveQuota, gatePeriod, TOTAL, UNLIMITED } from './quota.ts'
import type { AccountsSchema } from './schema.ts'

type Now = () => Date

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
