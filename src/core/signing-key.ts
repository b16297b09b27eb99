import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import { makeRandomKey } from './random-key.ts'

/** A key for signing addresses. Only {@link SigningKey.reveal} returns it; printing or logging does not show it. */
export interface SigningKey {
  /** HMAC-SHA256 of a text, base64url without padding: 43 characters. */
  readonly sign: (text: string) => string
  /** Whether a signature of at least 128 bits matches a text, compared in constant time. */
  readonly verifies: (text: string, signature: string) => boolean
  /** Whether a text is the key itself, compared in constant time. */
  readonly is: (text: string) => boolean
  /** The key as text, for its owner. */
  readonly reveal: () => string
}

/** Minimum base64url characters of a signature: 128 bits. */
const MIN_SIGNATURE_CHARS = 22
const KEY = /^[\w-]{43}$/

/** A new key of 256 random bits as text. */
export const makeSigningKey = (): string => makeRandomKey()

const isEqual = (one: string, other: string): boolean => {
  const [a, b] = [Buffer.from(one), Buffer.from(other)]
  return a.length === b.length && timingSafeEqual(a, b)
}

const digest = (text: string): string => createHash('sha256').update(text).digest('hex')

/** The key for a text by {@link makeSigningKey}. undefined for other text. The HMAC key is the text itself in UTF-8. */
export const readSigningKey = (key: string): SigningKey | undefined => {
  if (!KEY.test(key)) return undefined
  const sign = (text: string): string => createHmac('sha256', key).update(text).digest('base64url')
  return {
    sign,
    verifies: (text, signature) => {
      const given = signature.replace(/={1,2}$/, '')
      return given.length >= MIN_SIGNATURE_CHARS && isEqual(sign(text).slice(0, given.length), given)
    },
    is: (text) => isEqual(digest(text), digest(key)),
    reveal: () => key,
  }
}
