import type { Generated } from 'kysely'

/** One account. Numbers may exceed 32 bits. Booleans are 0 or 1, so that the same queries run on both dialects. */
export interface AccountsTable {
  username: string
  plan: string
  suspended: Generated<number>
  /** null: unlimited, or on the plan `trial` the service's setting. */
  quota: number | null
  period: Generated<'month' | 'total'>
  max_bytes: number | null
  max_pixels: number | null
  max_side: number | null
  /** seconds */
  max_timeout: number | null
  /** requests a minute */
  rate: number | null
  /** Hosts for live delivery, separated by commas. */
  deliver: string | null
  /** Signing keys, the newest first, separated by a space. */
  signing_keys: string | null
  /** Address of the fallback image. */
  fallback: string | null
  /** seconds */
  fallback_max_age: number | null
  /** SHA-256 of access keys, hex, the newest first, separated by a space. */
  access_keys: string | null
  /** Comma-separated lists. */
  allow_addresses: string | null
  allow_formats: string | null
  allow_sizes: string | null
  /** JSON: an object of option lists by name. */
  presets: string | null
  meta: 'none' | 'copyright' | null
  /** ms since the epoch */
  created_at: number
}

/** Images charged to an account: one row per calendar month (`YYYY-MM`, UTC), and one row `total` for all time. */
export interface UsageTable {
  username: string
  period: string
  used: number
}

/** One charge by its request id. `held` until the image is delivered, then `settled` and kept for an hour, or a day with DAILY_ID_PREFIX. */
export interface ReservationsTable {
  request_id: string
  username: string
  month: string
  state: 'held' | 'settled'
  /** The latest attempt of the request, or all holders of a joint charge separated by spaces. null: written by a version without holders. */
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
