import { createHash, timingSafeEqual } from 'node:crypto'
import { makeRandomKey } from './random-key.ts'

/** An access key of an account. Holds only its digest, so that logs and stolen databases do not reveal the key. */
export interface AccessKey {
  /** Whether a text is the key, compared in constant time. */
  readonly is: (text: string) => boolean
}

const DIGEST = /^[\da-f]{64}$/

/** A new key of 256 random bits as text: 43 characters. */
export const makeAccessKey = (): string => makeRandomKey()

/** The stored form of a key: SHA-256, hex. A random key of 256 bits needs no slower hash. */
export const digestAccessKey = (key: string): string => createHash('sha256').update(key).digest('hex')

/** The key for a digest by {@link digestAccessKey}. undefined for other text. */
export const readAccessKey = (digest: string): AccessKey | undefined =>
  DIGEST.test(digest)
    ? { is: (text) => timingSafeEqual(Buffer.from(digestAccessKey(text), 'hex'), Buffer.from(digest, 'hex')) }
    : undefined
