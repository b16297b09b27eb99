import type { Generated } from 'kysely'

/** One account. Numbers may exceed 32 bits; truth values are 0 or 1, so that the same queries run on every dialect. */
export interface AccountsTable {
  username: string
  plan: string
  suspended: Generated<number>
  /** null = unlimited (on the plan `trial`: the service's setting) */
  quota: number | null
  period: Generated<'month' | 'total'>
  max_bytes: number | null
  max_pixels: number | null
  max_side: number | null
  /** seconds */
  max_timeout: number | null
  /** requests a minute */
  rate: number | null
  /** Hosts that are delivered from, separated by commas. */
  deliver: string | null
  /** Signing keys, the newest first, separated by a space. */
  signing_keys: string | null
  /** Address of the image that is delivered where there is none at an address. */
  fallback: string | null
  /** seconds */
  fallback_max_age: number | null
  /** SHA-256 of access keys, hex, the newest first, separated by a space. */
  access_keys: string | null
  /** Lists with commas. */
  allow_addresses: string | null
  allow_formats: string | null
  allow_sizes: string | null
  /** JSON: an object of option lists by name. */
  presets: string | null
  meta: 'none' | 'copyright' | null
  /** ms since the epoch */
  created_at: number
}

/** Images charged to an account: one row a calendar month (`YYYY-MM`, UTC), and one row `total` for all time. */
export interface UsageTable {
  username: string
  period: string
  used: number
}

/** One charge by the id of its request: `held` until the image is delivered, then `settled` and kept for an hour, or for a day (DAILY_ID_PREFIX). */
export interface ReservationsTable {
  request_id: string
  username: string
  month: string
  state: 'held' | 'settled'
  /** The attempt of the request that holds the charge, the latest; several, separated by spaces, for a joint charge. null: written by a version without holders. */
  holder: string | null
  /** ms since the epoch */
  reserved_at: number
}

/** Other values that all nodes share. */
export interface InstallationTable {
  name: string
  value: string
}

export interface AccountsSchema {
  accounts: AccountsTable
  usage: UsageTable
  reservations: ReservationsTable
  installation: InstallationTable
}
