import { MAX_SHOWN_ADDRESS_CHARS } from '../core/shown-text.ts'

/** Caching that the source's headers allow, as headers of our own response (§5.3). */
export interface Cacheability {
  /** Value for Cache-Control, printable ASCII. Absent when the source sent none. */
  readonly cacheControl?: string
  /** Whether another account may receive the same result. False for `private` and `no-store`. */
  readonly shareable: boolean
}

/** Response headers by lower-case name. */
export type SourceHeaders = Readonly<Record<string, string | readonly string[] | undefined>>

/** Directives by lower-case name, in the source's order. null: without a value. */
type Directives = ReadonlyMap<string, string | null>

/** An upload belongs to its sender alone (§5.3). */
export const UPLOAD_CACHEABILITY: Cacheability = { cacheControl: 'no-store', shareable: false }

/** The largest lifetime that every cache supports (RFC 9111, section 1.2.2). */
const MAX_LIFETIME_S = 2 ** 31

/** A name, then a token or a quoted string of printable ASCII. Skips everything else between two commas. Expects single blanks. */
const DIRECTIVE = /(?:^|,) ?([!#$%&'*+.^_`|~\w-]+)(?: ?= ?(?:"((?:[^"\\]|\\.)*)"|([^\s,;"]*)))? ?(?=,|$)/g
const TOKEN = /^[!#$%&'*+.^_`|~\w-]+$/

/** Directives that shrink with age. A value that cannot be read means stale (RFC 9111, section 4.2.1). */
const LIFETIMES: ReadonlySet<string> = new Set(['max-age', 's-maxage'])
/** With a value, these concern single header fields, which we do not pass on. Many caches ignore the value, so we drop it. */
const UNQUALIFIED: ReadonlySet<string> = new Set(['private', 'no-cache'])

const joined = (value: string | readonly string[] | undefined): string | undefined =>
  value === undefined || typeof value === 'string' ? value : value.join(', ')

const parse = (text: string): Directives => {
  const found = new Map<string, string | null>()
  for (const [, name = '', quoted, token] of text
    .slice(0, 4096)
    .replaceAll(/[ \t]+/g, ' ')
    .matchAll(DIRECTIVE)) {
    const key = name.toLowerCase()
    if (!found.has(key)) found.set(key, quoted ?? token ?? null)
  }
  return found
}

const print = (directives: Directives): string =>
  [...directives]
    .map(([name, value]) => {
      if (value === null || UNQUALIFIED.has(name)) return name
      return TOKEN.test(value)
        ? `${name}=${value}`
        : `${name}="${value.replace(/[^\x20-\x21\x23-\x5b\x5d-\x7e]/g, '')}"`
    })
    .join(', ')

const wholeSeconds = (text: string | null | undefined): number | undefined =>
  text !== null && text !== undefined && /^\d+$/.test(text.trim()) ? Math.min(Number(text), MAX_LIFETIME_S) : undefined

const aged = (directives: Directives, seconds: number): Directives =>
  new Map(
    [...directives].map(([name, value]) =>
      LIFETIMES.has(name) ? [name, String(Math.max(0, (wholeSeconds(value) ?? 0) - seconds))] : [name, value],
    ),
  )

/** Parses an HTTP date in any of its three forms to milliseconds since the epoch. Returns undefined for `0` and `-1`, which Date.parse reads as years. */
const httpDate = (text: string | undefined): number | undefined => {
  if (text === undefined || !/^[A-Za-z]{3,9},? /.test(text.trim())) return undefined
  const time = Date.parse(/(?:GMT|UTC|[+-]\d{4})\s*$/.test(text) ? text : `${text} GMT`)
  return Number.isNaN(time) ? undefined : time
}

/** Lifetime in seconds by Expires, from the response's Date, or from `now` without one. 0 for an invalid date (RFC 9111, section 5.3). */
const expiresIn = (headers: SourceHeaders, now: number): number | undefined => {
  const expires = joined(headers['expires'])
  if (expires === undefined) return undefined
  const sent = httpDate(joined(headers['date'])) ?? now
  return Math.min(Math.max(0, Math.floor(((httpDate(expires) ?? 0) - sent) / 1000)), MAX_LIFETIME_S)
}

/** Adds max-age, unless there is one, or `no-cache` or `no-store` make it meaningless. */
const withLifetime = (directives: Directives, seconds: number | undefined): Directives =>
  seconds === undefined || ['max-age', 'no-store', 'no-cache'].some((name) => directives.has(name))
    ? directives
    : new Map([...directives, ['max-age', String(seconds)]])

const hasPragmaNoCache = (headers: SourceHeaders): boolean => /\bno-cache\b/i.test(joined(headers['pragma']) ?? '')

const stated = (headers: SourceHeaders, now: number): Directives => {
  const control = parse(joined(headers['cache-control']) ?? '')
  if (control.size === 0 && hasPragmaNoCache(headers)) return new Map([['no-cache', null]])
  return withLifetime(control, expiresIn(headers, now))
}

/** Directives of a source that was fetched with a password. Shared caches may keep it only with `public` (RFC 9111, section 3.5). */
const withPassword = (directives: Directives): Directives =>
  ['public', 'private', 'no-store'].some((name) => directives.has(name))
    ? directives
    : new Map([['private', null], ...directives])

/**
 * The Cache-Control that makes our response as cacheable as the source's (§5). Lifetimes are reduced by its Age; Expires and Pragma
 * become directives. `credentials`: the source was fetched with a password, which makes it `private` unless it says `public`.
 * `now` in milliseconds since the epoch.
 */
export const cacheabilityOf = (headers: SourceHeaders, now: number, credentials = false): Cacheability => {
  const age = wholeSeconds(joined(headers['age'])?.split(',')[0]) ?? 0
  const own = aged(stated(headers, now), age)
  const directives = credentials ? withPassword(own) : own
  const shareable = !directives.has('private') && !directives.has('no-store')
  return directives.size === 0 ? { shareable } : { cacheControl: print(directives), shareable }
}

/** The Cache-Control of a result that is sent again after `seconds`. Its lifetimes shrink by that time. */
export const ageCacheControl = (cacheControl: string, seconds: number): string =>
  print(aged(parse(cacheControl), Math.max(0, Math.floor(seconds))))

/** Whether a copy may be stored. `no-store` forbids it. */
export const mayStore = ({ cacheControl }: Cacheability): boolean => cacheControl?.includes('no-store') !== true

/** Validators of a source (RFC 9110, section 8.8). With them its server can answer 304. */
export interface Validators {
  readonly etag?: string
  readonly lastModified?: string
}

/** Returns an entity tag or a date. Returns undefined for one that is too long or contains characters that are not printable. */
const validatorOf = (value: string | readonly string[] | undefined): string | undefined => {
  const text = joined(value)
  return text !== undefined && text.length <= MAX_SHOWN_ADDRESS_CHARS && /^[ -~]+$/.test(text) ? text : undefined
}

/** The validators in response headers. */
export const validatorsOf = (headers: SourceHeaders): Validators => {
  const etag = validatorOf(headers['etag'])
  const lastModified = validatorOf(headers['last-modified'])
  return { ...(etag === undefined ? {} : { etag }), ...(lastModified === undefined ? {} : { lastModified }) }
}

/** Headers of a conditional request, which fetches a source only if it differs from the one with these validators. */
export const conditionsOf = ({ etag, lastModified }: Validators): Record<string, string> => ({
  ...(etag === undefined ? {} : { 'if-none-match': etag }),
  ...(lastModified === undefined ? {} : { 'if-modified-since': lastModified }),
})

/** Freshness lifetime of a Cache-Control for shared caches, in seconds; undefined if it states none. */
export const lifetimeOf = (cacheControl: string | undefined): number | undefined => {
  if (cacheControl === undefined) return undefined
  const stated = parse(cacheControl)
  if (stated.has('no-cache') || stated.has('no-store')) return 0
  const name = ['s-maxage', 'max-age'].find((each) => stated.has(each))
  if (name !== undefined) return wholeSeconds(stated.get(name)) ?? 0
  // A private response without a lifetime counts as stale.
  return stated.has('private') ? 0 : undefined
}

/** A Cache-Control with a lifetime of `seconds`, or its own shorter one. `public` unless it is `private`, `no-cache` or `no-store`. */
export const withMaxAge = (cacheControl: string | undefined, seconds: number): string => {
  const stated = parse(cacheControl ?? '')
  if (stated.has('no-store')) return 'no-store'
  const isPrivate = stated.has('private')
  if (stated.has('no-cache')) return isPrivate ? 'private, no-cache' : 'no-cache'
  const own = stated.has('max-age') ? (wholeSeconds(stated.get('max-age')) ?? 0) : seconds
  const lifetime = Math.min(seconds, own, lifetimeOf(cacheControl) ?? seconds)
  return `${isPrivate ? 'private' : 'public'}, max-age=${lifetime}`
}

/** Directives that let a cache use a response beyond its lifetime (RFC 5861, RFC 8246). */
const BEYOND_LIFETIME: ReadonlySet<string> = new Set(['stale-while-revalidate', 'stale-if-error', 'immutable'])

/** Reduces the lifetimes of a Cache-Control to at most `seconds`. Adds this lifetime if there is none. */
export const capLifetime = (cacheControl: string | undefined, seconds: number): string => {
  const max = Math.max(0, seconds)
  const stated = [...parse(cacheControl ?? '')].filter(([name]) => !BEYOND_LIFETIME.has(name))
  const capped = stated.map(([name, value]): [string, string | null] =>
    LIFETIMES.has(name) ? [name, String(Math.min(wholeSeconds(value) ?? 0, max))] : [name, value],
  )
  return print(withLifetime(new Map(capped), max))
}
