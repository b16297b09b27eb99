import { Failure, fail } from '../core/failure.ts'

/** What a raw request target asks for (§1). */
export type Address =
  | { readonly kind: 'home' }
  /** `/-/…`: the service's own; without the prefix and the query. */
  | { readonly kind: 'own'; readonly path: string }
  /** An image address is absent for uploads; all parts are still as they came. */
  | {
      readonly kind: 'image'
      readonly username: string
      readonly options: string | undefined
      readonly imageUrl: string | undefined
    }

const withoutQuery = (target: string): string => target.split('?', 1)[0]!

/** A target in absolute form (`http://host/path`, as proxies send it) starts with its origin. */
const withoutOrigin = (target: string): string => target.replace(/^https?:\/\/[^/?#]*(?=[/?#]|$)/i, '') || '/'

const withoutPrefix = (target: string, prefix: string): string =>
  prefix !== '' && (target === prefix || target.startsWith(`${prefix}/`)) ? target.slice(prefix.length) || '/' : target

/**
 * Splits a raw, undecoded request target (§1.2). `prefix` is the path that the service lives under (§1.7), without a
 * slash at its end; a proxy may have stripped it already.
 */
export const splitTarget = (rawTarget: string, prefix = ''): Address => {
  const target = withoutPrefix(rawTarget.startsWith('/') ? rawTarget : withoutOrigin(rawTarget), prefix)
  const path = withoutQuery(target)
  if (path === '/' || path === '') return { kind: 'home' }
  if (path === '/-' || path.startsWith('/-/')) return { kind: 'own', path }
  const [, username = '', options, rest] = /^\/([^/?]*)(?:\/([^/?]*))?(?:\/(.*))?/s.exec(target) ?? []
  const imageUrl = rest === undefined || withoutQuery(rest) === '' ? undefined : rest
  return { kind: 'image', username, options: options === '' ? undefined : options, imageUrl }
}

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

const shown = (text: string): string => (text.length > 200 ? `${text.slice(0, 200)}...` : text)

/**
 * Reads the image address of §1.3: raw, or wholly percent-encoded and then decoded exactly once; collapsed slashes are
 * restored (§1.4). Fails with URL_NOT_ABSOLUTE (404) or IMAGE_URL_BROKEN (400).
 */
export const readImageUrl = (given: string): URL => {
  const text = ENCODED.test(given) ? decodeOnce(given) : given
  const scheme = SCHEME.exec(text)
  if (scheme === null) throw fail('URL_NOT_ABSOLUTE', shown(text))
  try {
    const url = new URL(`${scheme[1]!.toLowerCase()}://${text.slice(scheme[0].length)}`)
    url.hash = ''
    return url
  } catch (error) {
    throw error instanceof Failure ? error : fail('IMAGE_URL_BROKEN', shown(text))
  }
}

/** Whether the second segment is really the start of an image address (§2.5). */
export const isMisplacedUrl = (options: string): boolean => /^https?(?::|%3a)/i.test(options)
