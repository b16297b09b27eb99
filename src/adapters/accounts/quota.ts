// Quotas in SQL that SQLite and PostgreSQL both accept.
import { type Kysely, type RawBuilder, sql } from 'kysely'
import { TRIAL_PLAN } from '../../ports/accounts.ts'
import type { AccountsSchema } from './schema.ts'

export type Db = Kysely<AccountsSchema>

export const TOTAL = 'total'
export const UNLIMITED = Number.MAX_SAFE_INTEGER

/** The key under which a calendar month is counted: `YYYY-MM`, UTC. A new month simply counts in a new row. */
export const monthOf = (date: Date): string => date.toISOString().slice(0, 7)

/** Which row of `usage` the quota of an account is held against. */
export const gatePeriod = (month: string): RawBuilder<string> =>
  sql<string>`case when accounts.period = ${TOTAL} or accounts.plan = ${TRIAL_PLAN} then ${TOTAL} else ${month} end`

/** The other row, which is counted only to be looked at. */
export const historyPeriod = (month: string): RawBuilder<string> =>
  sql<string>`case when accounts.period = ${TOTAL} or accounts.plan = ${TRIAL_PLAN} then ${month} else ${TOTAL} end`

// The casts are for PostgreSQL, which takes a parameter of unknown type for text.
export const effectiveQuota = (trialQuota: number): RawBuilder<number> => sql<number>`coalesce(accounts.quota,
  case when accounts.plan = ${TRIAL_PLAN} then cast(${trialQuota} as bigint) else cast(${UNLIMITED} as bigint) end)`
