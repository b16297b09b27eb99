import { fail } from '../core/failure.ts'

/** A scheme whose colon or slashes arrive percent-encoded: the whole address is. */
const ENCODED = /^https?(?::|%3a)(?:\/|%2f)*(?:%2f)|^https?%3a/i
const SCHEME = /^(https?):\/*/i

const decodeOnce = (encoded: string): string => {
  try {
    return decodeURIComponent(encoded)
  } catch {
    throw fail('IMAGE_URL_BROKEN', shown(encoded))
  }
}

/** Where user info ends, at any depth of encoding. */
const AT = /@|%(?:25)*40/gi
/** Where a query begins, at any depth of encoding. */
const QUERY = /\?|%(?:25)*3f/i
const LONGEST_SHOWN = 200

/**
 * What of an unreadable address is repeated to whoever sent it, in the status line and the body: nothing before the last
 * `@`, which may be a password, and nothing of the query, which may be a signature. Proxies log status lines.
 */
export const shown = (text: string): string => {
  const scheme = /^[a-z][a-z0-9+.-]{0,20}:[\\/]*/i.exec(text)?.[0] ?? ''
  const at = [...text.matchAll(AT)].at(-1)
  const host = at === undefined ? text.slice(scheme.length) : `[redacted]@${text.slice(at.index + at[0].length)}`
  const query = QUERY.exec(host)
  const bare = `${scheme}${query === null ? host : `${host.slice(0, query.index)}?...`}`
  return bare.length > LONGEST_SHOWN ? `${bare.slice(0, LONGEST_SHOWN)}...` : bare
}

/** Schemes that people try; whatever else stands before a colon may be a user name. */
const FOREIGN = /^(ftps?|sftp|file|data|blob|about|wss?|s3|gs|javascript|view-source):/i

/**
 * The image address of §1.3 as text: what arrives wholly percent-encoded is decoded exactly once, collapsed slashes are
 * restored (§1.4). Fails with URL_NOT_ABSOLUTE or URL_SCHEME (404), or IMAGE_URL_BROKEN (400).
 */
export const imageUrlText = (given: string): string => {
  const text = ENCODED.test(given) ? decodeOnce(given) : given
  const scheme = SCHEME.exec(text)
  if (scheme === null) {
    const foreign = FOREIGN.exec(text)?.[1]
    throw foreign === undefined ? fail('URL_NOT_ABSOLUTE', shown(text)) : fail('URL_SCHEME', foreign.toLowerCase())
  }
  return `${scheme[1]!.toLowerCase()}://${text.slice(scheme[0].length)}`
}

/** Reads the image address of §1.3, raw or wholly percent-encoded; fails as {@link imageUrlText} does. */
export const readImageUrl = (given: string): URL => {
  const text = imageUrlText(given)
  const url = URL.parse(text)
  if (url === null) throw fail('IMAGE_URL_BROKEN', shown(text))
  url.hash = ''
  return url
}

/** A colon at any depth of encoding. */
const COLON = /:|%(?:25)*3a/i

/** Whether user info may stand in a text: a colon, and an `@` behind it. */
const holdsUserInfo = (text: string): boolean => {
  const colon = COLON.exec(text)
  return colon !== null && [...text.slice(colon.index).matchAll(AT)].length > 0
}

/** Whether the second segment is really an image address, or holds one with a password (§2.5): then no item of it is repeated. */
export const isMisplacedUrl = (options: string): boolean => /^https?(?::|%3a)/i.test(options) || holdsUserInfo(options)
