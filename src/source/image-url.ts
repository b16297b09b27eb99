import { decodePercent } from '../core/decode-percent.ts'
import { fail } from '../core/failure.ts'
import { MAX_SHOWN_ADDRESS_CHARS } from '../core/shown-text.ts'

/** A scheme with a percent-encoded colon or slash: the whole address is encoded. */
const ENCODED = /^https?(?::|%3a)(?:\/|%2f)*(?:%2f)|^https?%3a/i
const SCHEME = /^(https?):\/*/i

const decodeOnce = (encoded: string): string => {
  const decoded = decodePercent(encoded)
  if (decoded === undefined) throw fail('IMAGE_URL_BROKEN', redactUrl(encoded))
  return decoded
}

/** The end of user info, at any depth of encoding. */
const AT = /@|%(?:25)*40/gi
/** The start of a query, at any depth of encoding. */
const QUERY = /\?|%(?:25)*3f/i

/**
 * The part of an unreadable address that may appear in the status line and the body of the response, which proxies log. It leaves out
 * everything before the last `@`, which may be a password, and the query, which may hold a signature.
 */
export const redactUrl = (text: string): string => {
  const scheme = /^[a-z][a-z0-9+.-]{0,20}:[\\/]*/i.exec(text)?.[0] ?? ''
  const at = [...text.matchAll(AT)].at(-1)
  const host = at === undefined ? text.slice(scheme.length) : `[redacted]@${text.slice(at.index + at[0].length)}`
  const query = QUERY.exec(host)
  const bare = `${scheme}${query === null ? host : `${host.slice(0, query.index)}?...`}`
  return bare.length > MAX_SHOWN_ADDRESS_CHARS ? `${bare.slice(0, MAX_SHOWN_ADDRESS_CHARS)}...` : bare
}

/** Other common schemes. Other texts before a colon may be user names. */
const FOREIGN = /^(ftps?|sftp|file|data|blob|about|wss?|s3|gs|javascript|view-source):/i

/**
 * The image address of §1.3 as text. Decodes an address that arrives wholly percent-encoded exactly once, and restores collapsed
 * slashes (§1.4). Fails with URL_NOT_ABSOLUTE or URL_SCHEME (404), or IMAGE_URL_BROKEN (400).
 */
export const imageUrlText = (given: string): string => {
  const text = ENCODED.test(given) ? decodeOnce(given) : given
  const scheme = SCHEME.exec(text)
  if (scheme === null) {
    const foreign = FOREIGN.exec(text)?.[1]
    throw foreign === undefined ? fail('URL_NOT_ABSOLUTE', redactUrl(text)) : fail('URL_SCHEME', foreign.toLowerCase())
  }
  return `${scheme[1]!.toLowerCase()}://${text.slice(scheme[0].length)}`
}

/** Reads the image address of §1.3, raw or wholly percent-encoded. Fails as {@link imageUrlText} does. */
export const readImageUrl = (given: string): URL => {
  const text = imageUrlText(given)
  const url = URL.parse(text)
  if (url === null) throw fail('IMAGE_URL_BROKEN', redactUrl(text))
  url.hash = ''
  return url
}

/** A colon at any depth of encoding. */
const COLON = /:|%(?:25)*3a/i

/** Whether a text may contain user info: a colon, and an `@` after it. */
const holdsUserInfo = (text: string): boolean => {
  const colon = COLON.exec(text)
  return colon !== null && [...text.slice(colon.index).matchAll(AT)].length > 0
}

/** Whether the options segment is an image address or contains one with a password (§2.5). Then no error text repeats its items. */
export const isMisplacedUrl = (options: string): boolean => /^https?(?::|%3a)/i.test(options) || holdsUserInfo(options)
