/** What the source's headers say about storing and sharing it, ready for our own response (§5.3). */
export interface Cacheability {
  /** Value for Cache-Control, printable ASCII; absent when the source said nothing. */
  readonly cacheControl?: string
  /** Whether a result may be given to another account that asks for the same; false for `private` and `no-store`. */
  readonly shareable: boolean
}

/** Response headers by lower-case name. */
export type SourceHeaders = Readonly<Record<string, string | readonly string[] | undefined>>

/** Directives by lower-case name, in the source's order; null = no value. */
type Directives = ReadonlyMap<string, string | null>

/** Uploads are nobody else's (§5.3). */
export const UPLOAD_CACHEABILITY: Cacheability = { cacheControl: 'no-store', shareable: false }

/** More than anybody sends: a header of thousands of directives is not worth passing on. */
const MOST_DIRECTIVES = 32
/** The largest lifetime that HTTP makes caches understand (RFC 9111, section 1.2.2). */
const LONGEST_SECONDS = 2 ** 31

/** name, then a token or a quoted string of printable ASCII; anything else between two commas is skipped. For texts whose blanks are single. */
const DIRECTIVE = /(?:^|,) ?([!#$%&'*+.^_`|~\w-]+)(?: ?= ?(?:"((?:[^"\\]|\\.)*)"|([^\s,;"]*)))? ?(?=,|$)/g
const TOKEN = /^[!#$%&'*+.^_`|~\w-]+$/

/** They age; what they say in a form that cannot be read means stale (RFC 9111, section 4.2.1). */
const LIFETIMES: ReadonlySet<string> = new Set(['max-age', 's-maxage'])
/** With a value they concern single header fields, which we do not pass on, yet many caches read them as a whole. */
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
    if (found.size < MOST_DIRECTIVES && !found.has(key)) found.set(key, quoted ?? token ?? null)
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
  text !== null && text !== undefined && /^\d+$/.test(text.trim()) ? Math.min(Number(text), LONGEST_SECONDS) : undefined

const aged = (directives: Directives, seconds: number): Directives =>
  new Map(
    [...directives].map(([name, value]) =>
      LIFETIMES.has(name) ? [name, String(Math.max(0, (wholeSeconds(value) ?? 0) - seconds))] : [name, value],
    ),
  )

/** Milliseconds since the epoch of an HTTP date in any of its three forms. `0` and `-1`, which Date.parse takes for years, are none. */
const httpDate = (text: string | undefined): number | undefined => {
  if (text === undefined || !/^[A-Za-z]{3,9},? /.test(text.trim())) return undefined
  const time = Date.parse(/(?:GMT|UTC|[+-]\d{4})\s*$/.test(text) ? text : `${text} GMT`)
  return Number.isNaN(time) ? undefined : time
}

/** Lifetime in seconds by Expires: since the response's own Date, else since now; one that cannot be read is over (RFC 9111, section 5.3). */
const expiresIn = (headers: SourceHeaders, now: number): number | undefined => {
  const expires = joined(headers['expires'])
  if (expires === undefined) return undefined
  const sent = httpDate(joined(headers['date'])) ?? now
  return Math.min(Math.max(0, Math.floor(((httpDate(expires) ?? 0) - sent) / 1000)), LONGEST_SECONDS)
}

/** Adds a lifetime where only Expires told one; beside `no-cache` and `no-store` it would mean nothing. */
const withLifetime = (directives: Directives, seconds: number | undefined): Directives =>
  seconds === undefined || ['max-age', 'no-store', 'no-cache'].some((name) => directives.has(name))
    ? directives
    : new Map([...directives, ['max-age', String(seconds)]])

const isPragma = (headers: SourceHeaders): boolean => /\bno-cache\b/i.test(joined(headers['pragma']) ?? '')

const stated = (headers: SourceHeaders, now: number): Directives => {
  const control = parse(joined(headers['cache-control']) ?? '')
  if (control.size === 0 && isPragma(headers)) return new Map([['no-cache', null]])
  return withLifetime(control, expiresIn(headers, now))
}

/**
 * The Cache-Control that makes our response as cacheable as the source's was (§5): lifetimes less the Age it had already,
 * Expires and Pragma put in words of today. `credentials`: the source was fetched with a password, so that without
 * `public` nobody else may share it (RFC 9111, section 3.5). `now` in milliseconds since the epoch.
 */
export const cacheabilityOf = (headers: SourceHeaders, now: number, credentials = false): Cacheability => {
  const age = wholeSeconds(joined(headers['age'])?.split(',')[0]) ?? 0
  const directives = aged(stated(headers, now), age)
  const kept = directives.has('private') || directives.has('no-store') || (credentials && !directives.has('public'))
  return directives.size === 0 ? { shareable: !kept } : { cacheControl: print(directives), shareable: !kept }
}

/** The Cache-Control of a result that is sent again `seconds` after it was first stated: its lifetimes are that much shorter. */
export const ageCacheControl = (cacheControl: string, seconds: number): string =>
  print(aged(parse(cacheControl), Math.max(0, Math.floor(seconds))))

/** Whether a copy may be kept: nothing is kept of what its owner wants nowhere stored. */
export const mayStore = ({ cacheControl }: Cacheability): boolean => cacheControl?.includes('no-store') !== true

/** A validator of a source (RFC 9110, section 8.8), by which its server can say that nothing has changed. */
export interface Validators {
  readonly etag?: string
  readonly lastModified?: string
}

const LONGEST_VALIDATOR = 500

const validator = (value: string | readonly string[] | undefined): string | undefined => {
  const text = joined(value)
  return text !== undefined && text.length <= LONGEST_VALIDATOR && /^[ -~]+$/.test(text) ? text : undefined
}

/** The validators that response headers hold. */
export const validatorsOf = (headers: SourceHeaders): Validators => {
  const etag = validator(headers['etag'])
  const lastModified = validator(headers['last-modified'])
  return { ...(etag === undefined ? {} : { etag }), ...(lastModified === undefined ? {} : { lastModified }) }
}

/** Request headers that ask for a source only when it is another than the one with these validators. */
export const conditionsOf = ({ etag, lastModified }: Validators): Record<string, string> => ({
  ...(etag === undefined ? {} : { 'if-none-match': etag }),
  ...(lastModified === undefined ? {} : { 'if-modified-since': lastModified }),
})

/** What a Cache-Control says of how long something is fresh for a cache that many share: seconds, or nothing at all. */
export const lifetimeOf = (cacheControl: string | undefined): number | undefined => {
  if (cacheControl === undefined) return undefined
  const stated = parse(cacheControl)
  if (stated.has('no-cache') || stated.has('no-store')) return 0
  const name = ['s-maxage', 'max-age'].find((each) => stated.has(each))
  if (name !== undefined) return wholeSeconds(stated.get(name)) ?? 0
  // One reader's own copy without a lifetime is asked for again each time.
  return stated.has('private') ? 0 : undefined
}

/** A Cache-Control with a lifetime of `seconds` in place of its own; `public` unless it is private or may not be stored. */
export const withMaxAge = (cacheControl: string | undefined, seconds: number): string => {
  const stated = parse(cacheControl ?? '')
  if (stated.has('no-store')) return 'no-store'
  return `${stated.has('private') ? 'private' : 'public'}, max-age=${seconds}`
}
