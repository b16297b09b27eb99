// Quotas in SQL that SQLite and PostgreSQL both accept.
import { type Kysely, type RawBuilder, sql } from 'kysely'
import { TRIAL_PLAN } from '../../ports/accounts.ts'
import type { AccountsSchema } from './schema.ts'

export type Db = Kysely<AccountsSchema>

export const TOTAL = 'total'
export const UNLIMITED = Number.MAX_SAFE_INTEGER

/** The key of a calendar month in `usage`: `YYYY-MM`, UTC. */
export const monthOf = (date: Date): string => date.toISOString().slice(0, 7)

/** The period of the row of `usage` that an account's quota limits. */
export const gatePeriod = (month: string): RawBuilder<string> =>
  sql<string>`case when accounts.period = ${TOTAL} or accounts.plan = ${TRIAL_PLAN} then ${TOTAL} else ${month} end`

/** The period of the other row, which is only for the history. */
export const historyPeriod = (month: string): RawBuilder<string> =>
  sql<string>`case when accounts.period = ${TOTAL} or accounts.plan = ${TRIAL_PLAN} then ${month} else ${TOTAL} end`

// PostgreSQL treats a parameter of unknown type as text, so each has a cast.
export const effectiveQuota = (trialQuota: number): RawBuilder<number> => sql<number>`coalesce(accounts.quota,
  case when accounts.plan = ${TRIAL_PLAN} then cast(${trialQuota} as bigint) else cast(${UNLIMITED} as bigint) end)`
