import { isIP, isIPv4 } from 'node:net'

/** The result of reading an environment variable: a value, or a phrase that completes "expected ...". */
export type Read<Value> = { readonly value: Value } | { readonly expected: string }
/** Reads the text of an environment variable. */
export type Reader<Value> = (text: string) => Read<Value>

interface Range {
  readonly min: number
  readonly max: number
}

const inRange = (value: number, { min, max }: Range): boolean => value >= min && value <= max

/** A whole number in a range, both ends included. */
export const wholeNumber =
  (range: Range): Reader<number> =>
  (text) => {
    const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN
    return inRange(value, range) ? { value } : { expected: `a whole number from ${range.min} to ${range.max}` }
  }

/** Decimal units, as for disks. Binary units have an i. */
const BYTE_UNITS: Readonly<Record<string, number>> = {
  '': 1,
  b: 1,
  k: 1e3,
  kb: 1e3,
  kib: 2 ** 10,
  m: 1e6,
  mb: 1e6,
  mib: 2 ** 20,
  g: 1e9,
  gb: 1e9,
  gib: 2 ** 30,
  t: 1e12,
  tb: 1e12,
  tib: 2 ** 40,
}

/** A number of bytes, plain or with a unit as in `50MB` (1000s) or `50MiB` (1024s). */
export const byteCount =
  (min: number): Reader<number> =>
  (text) => {
    const [, digits, unit] = /^(\d{1,15}(?:\.\d{1,6})?) ?([a-z]{0,3})$/i.exec(text) ?? []
    const value = Math.round(Number(digits) * (BYTE_UNITS[unit?.toLowerCase() ?? ''] ?? Number.NaN))
    return inRange(value, { min, max: Number.MAX_SAFE_INTEGER })
      ? { value }
      : { expected: `a number of bytes of at least ${min}, plain or with a unit (50000000, 50MB, 48MiB)` }
  }

const TIME_UNITS_MS: Readonly<Record<string, number>> = { '': 1e3, ms: 1, s: 1e3, m: 6e4, min: 6e4, h: 36e5, d: 864e5 }

/** A duration in seconds or with a unit (`500ms`, `20s`, `5m`, `24h`, `7d`). Range and value are in milliseconds. */
export const milliseconds =
  (range: Range): Reader<number> =>
  (text) => {
    const [, digits, unit] = /^(\d{1,12}(?:\.\d{1,6})?) ?([a-z]{0,3})$/i.exec(text) ?? []
    const value = Math.round(Number(digits) * (TIME_UNITS_MS[unit?.toLowerCase() ?? ''] ?? Number.NaN))
    return inRange(value, range)
      ? { value }
      : {
          expected: `seconds from ${range.min / 1e3} to ${range.max / 1e3}, plain or with a unit (500ms, 20s, 5m, 24h)`,
        }
  }

/** Seconds, in the notation of {@link milliseconds}. */
export const seconds =
  (range: Range): Reader<number> =>
  (text) => {
    const read = milliseconds({ min: range.min * 1e3, max: range.max * 1e3 })(text)
    return 'value' in read ? { value: read.value / 1e3 } : read
  }

/** One of a list of words, in any letter case. */
export const oneOf =
  <const Value extends string>(values: readonly Value[]): Reader<Value> =>
  (text) => {
    const value = values.find((known) => known === text.toLowerCase())
    return value === undefined ? { expected: `one of ${values.join(', ')}` } : { value }
  }

const readCidr = (text: string): string | undefined => {
  const [address = '', bits, ...rest] = text.split('/')
  if (isIP(address) === 0 || address.includes('%') || rest.length > 0) return undefined
  const most = isIPv4(address) ? 32 : 128
  if (bits === undefined) return `${address}/${most}`
  return /^\d{1,3}$/.test(bits) && Number(bits) <= most ? `${address}/${Number(bits)}` : undefined
}

/** Comma-separated address ranges as `address/bits`. A bare address is a range of one. */
export const cidrList: Reader<readonly string[]> = (text) => {
  const parts = text.split(',').map((part) => part.trim())
  const ranges = parts.filter((part) => part !== '').map(readCidr)
  return ranges.every((range) => range !== undefined)
    ? { value: ranges }
    : { expected: 'address ranges separated by commas, such as 10.0.0.0/8,fd00::/8' }
}

/** The proxies whose forwarding headers are trusted. */
export type TrustProxy =
  | { readonly kind: 'none' }
  /** Every client. */
  | { readonly kind: 'all' }
  /** `hops` proxies in front of the service. The client is this far from the right end of X-Forwarded-For. */
  | { readonly kind: 'hops'; readonly hops: number }
  /** Proxies with addresses in these ranges. */
  | { readonly kind: 'ranges'; readonly ranges: readonly string[] }

const trustWords = (words: readonly string[], trust: TrustProxy): [string, TrustProxy][] =>
  words.map((word) => [word, trust])

const TRUST_WORDS = new Map<string, TrustProxy>([
  ...trustWords(['false', 'off', 'no', '0'], { kind: 'none' }),
  ...trustWords(['true', 'on', 'yes'], { kind: 'all' }),
])

/** Reads `false`, `true`, a number of proxies from 1 to 20, or the proxies' address ranges. */
export const trustProxy: Reader<TrustProxy> = (text) => {
  const word = TRUST_WORDS.get(text.toLowerCase())
  if (word !== undefined) return { value: word }
  const hops = wholeNumber({ min: 1, max: 20 })(text)
  if ('value' in hops) return { value: { kind: 'hops', hops: hops.value } }
  const ranges = cidrList(text)
  return 'value' in ranges && ranges.value.length > 0
    ? { value: { kind: 'ranges', ranges: ranges.value } }
    : { expected: 'false, true, a number of proxies from 1 to 20, or their address ranges such as 10.0.0.0/8' }
}

/** An absolute http or https address without query, fragment or user info. The value has no slash at its end. */
export const baseUrl: Reader<string> = (text) => {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const plain = url !== undefined && /^https?:$/.test(url.protocol) && !/[?#\s]/.test(text) && url.username === ''
  return plain
    ? { value: url.href.replace(/\/+$/, '') }
    : { expected: 'an absolute http or https address without query, such as https://images.example.com/optim' }
}

/** A path that starts with a slash. The value has no slash at its end, and is empty for a lone slash. */
export const pathPrefix: Reader<string> = (text) => {
  const bare = text.replace(/\/$/, '')
  return /^(?:\/[\w.~%!$&'()*+,;=:@-]+)*$/.test(bare)
    ? { value: bare }
    : { expected: 'a path that starts with a slash, such as /optim' }
}

/** An IP address or host name to listen on. Brackets around IPv6 are removed. */
export const listenHost: Reader<string> = (text) => {
  const host = text.replace(/^\[(.+)\]$/, '$1')
  return isIP(host) !== 0 || /^(?=.{1,253}$)[a-z\d_](?:[a-z\d_.-]*[a-z\d_])?$/i.test(host)
    ? { value: host }
    : { expected: 'an IP address or host name to listen on, such as 127.0.0.1, :: or localhost' }
}

/** A path of the file system, unchanged. */
export const filePath: Reader<string> = (text) =>
  text.includes('\0') ? { expected: 'a path of the file system' } : { value: text }

/** The name of an HTTP header. The value is in lower case. */
export const headerName: Reader<string> = (text) =>
  /^[A-Za-z][A-Za-z0-9-]{0,63}$/.test(text)
    ? { value: text.toLowerCase() }
    : { expected: 'the name of a header, such as X-Request-Id' }
