import type { AccessKey } from '../core/access-key.ts'
import type { Metadata } from '../core/image.ts'
import type { SigningKey } from '../core/signing-key.ts'

/** Accounts and their quota (§6, §7). Implementations: adapters/accounts/*. */

export interface Account {
  readonly username: string
  /** Free text. `trial` means that the quota counts in total (§7). */
  readonly plan: string
  readonly suspended: boolean
  /** Images allowed; absent = unlimited. */
  readonly quota?: number
  /** Whether `quota` is per calendar month (UTC) or in total. */
  readonly period: 'month' | 'total'
  /** Images charged in the current period. */
  readonly used: number
  /** The account's own limits, which override the settings (§7). */
  readonly limits: AccountLimits
  /** Rules of live delivery (§8). Absent: no delivery. */
  readonly delivery?: Delivery
  /** Image that live delivery returns for a missing one. Absent: the failure. */
  readonly fallback?: Fallback
  /** Restrictions on use. Absent: the username alone grants everything. */
  readonly access?: Access
  /** Option lists by name (`preset=`). */
  readonly presets?: ReadonlyMap<string, string>
  /** Default of `meta=`. */
  readonly meta?: Metadata
}

/** Restrictions of an account. An empty list restricts nothing. */
export interface Access {
  /** Valid keys, newest first, at most two. Everything except live delivery requires one of them. */
  readonly keys: readonly AccessKey[]
  /** IP addresses and ranges that may use the account. */
  readonly addresses: readonly string[]
  /** Allowed formats. */
  readonly formats: readonly string[]
  /** Allowed sizes: `full`, `300x200`, `300` or `x200`, at any density. */
  readonly sizes: readonly string[]
}

/** An image that replaces an unavailable one (§8.7). */
export interface Fallback {
  /** Complete http or https address. */
  readonly url: string
  /** Seconds that caches keep it. Absent: the service's default. */
  readonly maxAge?: number
}

/** The right of live delivery: the source's host is listed, or the address is signed (§8.1). */
export interface Delivery {
  /** `example.com`, `*.example.org`, with a port unless it is the scheme's default. */
  readonly hosts: readonly string[]
  /** Valid keys, newest first, at most two. */
  readonly keys: readonly SigningKey[]
}

export interface AccountLimits {
  readonly maxBytes?: number
  readonly maxPixels?: number
  readonly maxSide?: number
  /** seconds */
  readonly maxTimeout?: number
  /** requests a minute; 0 = no limit */
  readonly rate?: number
}

/** The holder of a charge until its work is done. */
export interface Holder {
  readonly name: string
  /** Several holders of the same charge share it, and the last one releases it. Otherwise a later reservation takes it over. */
  readonly jointly?: boolean
}

export interface Accounts {
  /** The account of exactly this username (case-sensitive), or undefined. */
  readonly find: (username: string) => Promise<Account | undefined>
  /**
   * Charges one image to the quota in one conditional statement. Idempotent by `requestId`. False: the quota is used up. `holder`
   * identifies this attempt of the request (default: this connection to the accounts). A proxy may resend a request while the first node
   * still runs, and the first attempt's release must not affect the second one.
   */
  readonly reserve: (username: string, requestId: string, holder?: Holder) => Promise<boolean>
  /** Keeps a reservation alive while its work runs. Reservations that are not renewed are released. No effect without a reservation. */
  readonly renew: (requestId: string) => Promise<void>
  /** Releases a reservation after an error or a fallback to the source. No effect without one, or while others hold it. `holder`: as in `reserve`. */
  readonly release: (requestId: string, holder?: string) => Promise<void>
  /** Makes the charge final: the image was delivered. */
  readonly settle: (requestId: string) => Promise<void>
  /** Resolves if the store of accounts responds, else rejects. */
  readonly ping: () => Promise<void>
  /** Number of charges in the journal, not yet written to the database. Absent without a journal. */
  readonly journaled?: () => number
  readonly close: () => Promise<void>
}

/** A change of limits. Absent: unchanged. null: the service's default. */
export type AccountLimitsChange = { readonly [Limit in keyof AccountLimits]?: AccountLimits[Limit] | null }

/** Settings of an account that an operator can change. Absent: unchanged. */
export interface AccountSettings {
  readonly plan?: string
  /** null: unlimited, or on the plan `trial` the service's default. */
  readonly quota?: number | null
  readonly period?: 'month' | 'total'
  readonly suspended?: boolean
  readonly limits?: AccountLimitsChange
  /** Hosts for live delivery. null: none. */
  readonly deliver?: readonly string[] | null
  /** Address of the fallback image. null: none. */
  readonly fallback?: string | null
  /** Seconds that caches keep the fallback image. null: the service's default. */
  readonly fallbackMaxAge?: number | null
  /** A new key for signing addresses. The previous one stays valid, older ones do not. null: no key. */
  readonly signingKey?: string | null
  /** A new access key. The previous one stays valid, older ones do not. null: no key. */
  readonly accessKey?: string | null
  /** null: no list. */
  readonly addresses?: readonly string[] | null
  readonly formats?: readonly string[] | null
  readonly sizes?: readonly string[] | null
  /** Replaces all presets. null: none. */
  readonly presets?: ReadonlyMap<string, string> | null
  /** null: the service's default. */
  readonly meta?: Metadata | null
}

/** Administration of accounts, for the CLI. */
export interface AccountAdmin {
  /** Adds an account. Throws an Error with a plain sentence when the name is taken or violates {@link isUsername}. */
  readonly add: (username: string, settings: AccountSettings) => Promise<Account>
  readonly list: () => Promise<readonly Account[]>
  readonly set: (username: string, settings: AccountSettings) => Promise<Account | undefined>
  /** Removes the account with its history. False when it does not exist. */
  readonly remove: (username: string) => Promise<boolean>
  /** Images charged per calendar month (UTC, `YYYY-MM`), newest first, for any period of the quota. */
  readonly usage: (username: string) => Promise<readonly { readonly period: string; readonly used: number }[]>
}

/**
 * Prefix of ids that are charged once within a day. Other ids are remembered for an hour, which is longer than a proxy retries.
 */
export const DAILY_ID_PREFIX = 'deliver-'

/** The plan whose quota always counts in total (§7). */
export const TRIAL_PLAN = 'trial'

const USERNAME = /^[A-Za-z0-9_.][A-Za-z0-9_.-]{0,63}$/

/** Whether a text is a valid username (§6). `.` and `..` are excluded, since HTTP clients resolve them before sending. */
export const isUsername = (text: string): boolean => USERNAME.test(text) && text !== '.' && text !== '..'
