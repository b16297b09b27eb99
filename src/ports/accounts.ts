import type { SigningKey } from '../core/signing-key.ts'

/** What the service needs to know of accounts and their quota (§6, §7). Implementations: adapters/accounts/*. */

export interface Account {
  readonly username: string
  /** Free text; `trial` means a quota in all (§7). */
  readonly plan: string
  readonly suspended: boolean
  /** Images allowed; absent = unlimited. */
  readonly quota?: number
  /** Whether `quota` counts anew each calendar month (UTC) or in all. */
  readonly period: 'month' | 'total'
  /** Images charged in the period under way. */
  readonly used: number
  /** Limits of its own, overriding the settings (§7). */
  readonly limits: AccountLimits
  /** What may be delivered live (§8); absent = nothing. */
  readonly delivery?: Delivery
}

/** By what right images are delivered live: the host of the source is listed, or the address is signed (§8.1). */
export interface Delivery {
  /** `example.com`, `*.example.org`, with a port where it is not the scheme's own. */
  readonly hosts: readonly string[]
  /** Valid keys, the newest first; at most two. */
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

/** Who holds a charge until its work is done. */
export interface Holder {
  readonly name: string
  /** Others that ask for the same may hold it as well, and the last of them gives it back; else whoever reserves it later takes it over. */
  readonly jointly?: boolean
}

export interface Accounts {
  /** The account of exactly this username (case-sensitive), or undefined. */
  readonly find: (username: string) => Promise<Account | undefined>
  /**
   * Takes one image from the quota in one conditional statement; idempotent by `requestId`. False: used up. `holder` is
   * this try of the request (default: this opening of the accounts): a proxy sends a request on while the node that it gave
   * up may still be at it, and what the first try releases must not be taken from the second.
   */
  readonly reserve: (username: string, requestId: string, holder?: Holder) => Promise<boolean>
  /** Says that the work of a reservation goes on: what is not renewed for long is given back. Harmless when nothing is held. */
  readonly renew: (requestId: string) => Promise<void>
  /** Gives back what was reserved under this id (an error, a fallback to the source); harmless when nothing was, or others hold it. `holder`: the name that it was reserved under. */
  readonly release: (requestId: string, holder?: string) => Promise<void>
  /** Keeps the charge for good: the image was delivered. */
  readonly settle: (requestId: string) => Promise<void>
  readonly close: () => Promise<void>
}

/** A change of limits: what is absent stays, null goes back to the service's own setting. */
export type AccountLimitsChange = { readonly [Limit in keyof AccountLimits]?: AccountLimits[Limit] | null }

/** What can be set by hand on an account; what is absent stays as it is. */
export interface AccountSettings {
  readonly plan?: string
  /** null = unlimited; on the plan `trial`, which always has a quota, null = the service's own setting. */
  readonly quota?: number | null
  readonly period?: 'month' | 'total'
  readonly suspended?: boolean
  readonly limits?: AccountLimitsChange
  /** Hosts whose images are delivered live; none = null. */
  readonly deliver?: readonly string[] | null
  /** A new key to sign addresses with; the one before it stays valid, older ones do not. Null = no key at all. */
  readonly signingKey?: string | null
}

/** Account keeping by hand: the CLI. */
export interface AccountAdmin {
  /** Opens an account; throws an Error with a plain sentence when the name is taken or breaks the rule of {@link isUsername}. */
  readonly add: (username: string, settings: AccountSettings) => Promise<Account>
  readonly list: () => Promise<readonly Account[]>
  readonly set: (username: string, settings: AccountSettings) => Promise<Account | undefined>
  /** Removes the account with its history; false when there is none. */
  readonly remove: (username: string) => Promise<boolean>
  /** Images charged per calendar month (UTC, `YYYY-MM`), newest first, whatever the quota's own period. */
  readonly usage: (username: string) => Promise<readonly { readonly period: string; readonly used: number }[]>
}

/** The plan whose quota always counts in all (§7). */
export const TRIAL_PLAN = 'trial'

const USERNAME = /^[A-Za-z0-9_.][A-Za-z0-9_.-]{0,63}$/

/** Whether an account can have this name (§6). `.` and `..` are left out: HTTP clients resolve them away before sending. */
export const isUsername = (text: string): boolean => USERNAME.test(text) && text !== '.' && text !== '..'
