// Reserves, renews, settles and releases charges, in SQL that SQLite and PostgreSQL both accept.
import {
  type ExpressionBuilder,
  type ExpressionWrapper,
  type RawBuilder,
  type SqlBool,
  sql,
  type Transaction,
} from 'kysely'
import { DAILY_ID_PREFIX, type Holder } from '../../ports/accounts.ts'
import { type Db, effectiveQuota, gatePeriod, historyPeriod, monthOf } from './quota.ts'
import type { AccountsSchema } from './schema.ts'

type Trx = Transaction<AccountsSchema>

/**
 * Counts one more image if the quota allows it. One statement, so that two concurrent charges cannot both take the last image: the
 * conflict is decided on the locked row, not on an earlier read.
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

/** Counts one more image in a row of `usage`, even above the quota. */
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

/** A requested charge: the account, the request, and the attempt that holds it. */
interface Charge {
  readonly username: string
  readonly requestId: string
  readonly holder?: Holder | undefined
  readonly at: Date
}

/** Records the request id. False when it is already recorded, or the account does not exist. */
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

/** The column `holder` with a new holder: alone, or for a joint charge after the present ones, separated by spaces. */
const heldBy = (holder: Holder | undefined): RawBuilder<string | null> =>
  holder?.jointly === true
    ? sql`coalesce(holder || ' ', '') || cast(${holder.name} as text)`
    : sql`cast(${holder?.name ?? null} as text)`

/** The column `holder` without one holder. */
const heldWithout = (name: string): RawBuilder<string> =>
  sql`trim(replace(' ' || holder || ' ', cast(${` ${name} `} as text), ' '))`

/** Takes over, or shares, the reservation under the same id. False without one. */
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

/** Reserves one image of quota under a request id. False when the quota is used up or the account does not exist. */
export const reserve = async (db: Db, charged: Charge & { readonly trialQuota: number }): Promise<boolean> => {
  const month = monthOf(charged.at)
  try {
    return await db.transaction().execute(async (trx) => {
      // The record comes first: it takes the write lock before anything is read, and the primary key makes
      // a second request with the same id wait for the first instead of charging again.
      if (!(await record(trx, charged))) {
        if (await takeOver(trx, charged)) return true
        // Released between the two statements, or no such account.
        if (!(await record(trx, charged))) return false
      }
      // Throwing rolls the record back.
      if (!(await charge(trx, charged.username, { month, trialQuota: charged.trialQuota }))) throw new Refused()
      await count(trx, charged.username, historyPeriod(month))
      return true
    })
  } catch (error) {
    if (error instanceof Refused) return false
    throw error
  }
}

interface Charged {
  readonly username: string
  readonly month: string
}

/** Subtracts images from the rows of their month and of all time. Locks them in the same order as a charge, so there is no deadlock. */
const refund = async (trx: Trx, charged: readonly Charged[]): Promise<void> => {
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

/** A charge to release. */
interface Released {
  readonly requestId: string
  /** Absent: any holder. */
  readonly holder?: string | undefined
}

/** Refunds a held charge to its month. A settled charge, or one with other holders, stays. */
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
    await refund(trx, charged)
  })

/** Restarts the lifetime of a held charge at `at`. */
export const renew = async (db: Db, requestId: string, at: Date): Promise<void> => {
  await db
    .updateTable('reservations')
    .set({ reserved_at: at.getTime() })
    .where('request_id', '=', requestId)
    .where('state', '=', 'held')
    .execute()
}

/** Makes a held charge final. */
export const settle = async (db: Db, requestId: string): Promise<void> => {
  await db
    .updateTable('reservations')
    .set({ state: 'settled' })
    .where('request_id', '=', requestId)
    .where('state', '=', 'held')
    .execute()
}

/**
 * Settles a charge of an image that was delivered while the database was away. If a sweep has released the reservation since, counts the
 * image again, even above the quota. Idempotent by request id.
 */
export const settleLate = (db: Db, charged: Charge): Promise<void> =>
  db.transaction().execute(async (trx) => {
    const settled = await trx
      .updateTable('reservations')
      .set({ state: 'settled' })
      .where('request_id', '=', charged.requestId)
      .returning('request_id')
      .executeTakeFirst()
    if (settled !== undefined || !(await record(trx, charged))) return
    await trx
      .updateTable('reservations')
      .set({ state: 'settled' })
      .where('request_id', '=', charged.requestId)
      .execute()
    const month = monthOf(charged.at)
    await count(trx, charged.username, gatePeriod(month))
    await count(trx, charged.username, historyPeriod(month))
  })

/** Rows that one transaction of a sweep deletes. It takes some ms, so a charge waits only briefly for its locks. */
const BATCH = 1000

/** Limits of a sweep, in ms since the epoch. */
export interface SweepTimes {
  /** Charges held since before this time are released. */
  readonly heldBefore: number
  /** Settled ids without {@link DAILY_ID_PREFIX} from `plainFrom` to `plainBefore` are deleted. An earlier sweep has deleted older ones. */
  readonly plainFrom: number
  readonly plainBefore: number
  /** All settled ids from before this time are deleted. */
  readonly settledBefore: number
}

type Condition = ExpressionWrapper<AccountsSchema, 'reservations', SqlBool>
type Filter = (eb: ExpressionBuilder<AccountsSchema, 'reservations'>) => Condition

/** Deletes a batch of the reservations that match, and resolves with them. */
const deleteBatch = (db: Db, filter: Filter): Promise<Charged[]> =>
  db
    .deleteFrom('reservations')
    .where('request_id', 'in', (eb) => eb.selectFrom('reservations').select('request_id').where(filter).limit(BATCH))
    .returning(['username', 'month'])
    .execute()

/** Releases charges of killed processes and deletes settled ids. `run` runs each batch in its own transaction. */
export const sweep = async (
  db: Db,
  times: SweepTimes,
  run: <T>(work: () => Promise<T>) => Promise<T>,
): Promise<void> => {
  const { heldBefore, plainFrom, plainBefore, settledBefore } = times
  const isHeld: Filter = (eb) => eb.and([eb('state', '=', 'held'), eb('reserved_at', '<', heldBefore)])
  const isOld: Filter = (eb) => eb.and([eb('state', '=', 'settled'), eb('reserved_at', '<', settledBefore)])
  const isPlain: Filter = (eb) =>
    eb.and([
      eb('state', '=', 'settled'),
      eb('reserved_at', '>=', plainFrom),
      eb('reserved_at', '<', plainBefore),
      eb('request_id', 'not like', `${DAILY_ID_PREFIX}%`),
    ])
  const refundBatch = (): Promise<Charged[]> =>
    db.transaction().execute(async (trx) => {
      const released = await deleteBatch(trx, isHeld)
      await refund(trx, released)
      return released
    })
  for (const work of [refundBatch, () => deleteBatch(db, isPlain), () => deleteBatch(db, isOld)])
    while ((await run(work)).length === BATCH);
}
