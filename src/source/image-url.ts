import { Failure, fail } from '../core/failure.ts'

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
