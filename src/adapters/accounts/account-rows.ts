// Reads and changes accounts, in SQL that SQLite and PostgreSQL both accept.
import { type ExpressionBuilder, type RawBuilder, sql } from 'kysely'
import { digestAccessKey, readAccessKey } from '../../core/access-key.ts'
import { readSigningKey } from '../../core/signing-key.ts'
import {
  type Access,
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

const fallbackPart = ({ fallback: url, fallback_max_age: maxAge }: AccountRow): Pick<Account, 'fallback'> =>
  url === null ? {} : { fallback: { url, ...(maxAge === null ? {} : { maxAge }) } }

const accessOf = (row: AccountRow): Access | undefined => {
  const access = {
    keys: partsOf(row.access_keys, ' ').flatMap((digest) => readAccessKey(digest) ?? []),
    addresses: partsOf(row.allow_addresses, ','),
    formats: partsOf(row.allow_formats, ','),
    sizes: partsOf(row.allow_sizes, ','),
  }
  return Object.values(access).every((list) => list.length === 0) ? undefined : access
}

const presetsOf = ({ presets }: AccountRow): ReadonlyMap<string, string> | undefined =>
  presets === null ? undefined : new Map(Object.entries(JSON.parse(presets) as Record<string, string>))

/** Removes undefined properties. */
const defined = <T extends object>(parts: T): { [K in keyof T]?: NonNullable<T[K]> } =>
  Object.fromEntries(Object.entries(parts).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: NonNullable<T[K]>
  }

const toAccount = (row: AccountRow): Account => ({
  username: row.username,
  plan: row.plan,
  suspended: row.suspended === 1,
  ...(row.effective_quota === UNLIMITED ? {} : { quota: row.effective_quota }),
  period: row.plan === TRIAL_PLAN ? 'total' : row.period,
  used: row.used ?? 0,
  limits: limitsOf(row),
  ...defined({
    delivery: deliveryOf(row),
    access: accessOf(row),
    presets: presetsOf(row),
    meta: row.meta ?? undefined,
  }),
  ...fallbackPart(row),
})

/** The account of exactly this username, with its use in the current period. */
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

/** The new key, followed by the previous one of the same length. A single statement, so that concurrent rotations lose no key that was returned. */
const keysWith = (column: 'signing_keys' | 'access_keys', key: string): RawBuilder<string> =>
  sql<string>`cast(${key} as text) || coalesce(' ' || substr(${sql.ref(`accounts.${column}`)}, 1, cast(${key.length} as integer)), '')`

/** Columns with comma-separated lists. */
const LIST_COLUMNS = {
  deliver: 'deliver',
  addresses: 'allow_addresses',
  formats: 'allow_formats',
  sizes: 'allow_sizes',
} as const

const listColumns = (settings: AccountSettings) =>
  Object.fromEntries(
    Object.entries(LIST_COLUMNS).flatMap(([name, column]) => {
      const list = settings[name as keyof typeof LIST_COLUMNS]
      return list === undefined ? [] : [[column, list?.join(',') ?? null]]
    }),
  )

const presetsColumn = ({ presets }: AccountSettings) =>
  presets === undefined ? {} : { presets: presets === null ? null : JSON.stringify(Object.fromEntries(presets)) }

const columnsOf = (settings: AccountSettings) => ({
  ...(settings.plan === undefined ? {} : { plan: settings.plan }),
  ...(settings.quota === undefined ? {} : { quota: settings.quota }),
  ...(settings.period === undefined ? {} : { period: settings.period }),
  ...(settings.suspended === undefined ? {} : { suspended: settings.suspended ? 1 : 0 }),
  ...(settings.meta === undefined ? {} : { meta: settings.meta }),
  ...listColumns(settings),
  ...presetsColumn(settings),
  ...(settings.fallback === undefined ? {} : { fallback: settings.fallback }),
  ...(settings.fallbackMaxAge === undefined ? {} : { fallback_max_age: settings.fallbackMaxAge }),
  ...Object.fromEntries(
    LIMITS.flatMap((limit) => {
      const value = settings.limits?.[limit]
      return value === undefined ? [] : [[LIMIT_COLUMNS[limit], value]]
    }),
  ),
})

/** Adds an account. False when the name is taken. */
export const add = async (db: Db, username: string, settings: AccountSettings, now: Now): Promise<boolean> => {
  const row = await db
    .insertInto('accounts')
    .values({
      plan: 'standard',
      ...columnsOf(settings),
      ...(settings.signingKey === undefined ? {} : { signing_keys: settings.signingKey }),
      ...(settings.accessKey === undefined
        ? {}
        : { access_keys: settings.accessKey && digestAccessKey(settings.accessKey) }),
      username,
      created_at: now().getTime(),
    })
    .onConflict((conflict) => conflict.column('username').doNothing())
    .returning('username')
    .executeTakeFirst()
  return row !== undefined
}

/** Changes the given settings of an account. */
export const set = async (db: Db, username: string, settings: AccountSettings): Promise<void> => {
  const { signingKey, accessKey } = settings
  const columns = {
    ...columnsOf(settings),
    ...(signingKey === undefined
      ? {}
      : { signing_keys: signingKey === null ? null : keysWith('signing_keys', signingKey) }),
    ...(accessKey === undefined
      ? {}
      : { access_keys: accessKey === null ? null : keysWith('access_keys', digestAccessKey(accessKey)) }),
  }
  if (Object.keys(columns).length === 0) return
  await db.updateTable('accounts').set(columns).where('username', '=', username).execute()
}

/** Removes an account and, by cascade, its usage and reservations. False when it does not exist. */
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
