import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto'

/**
 * Keeps what nodes write into Redis from those who can read or write there: values are encrypted and authenticated, names are
 * hashed, both with the secret of the installation.
 */
export interface Seal {
  /** A name that gives nothing away: 128 bits of HMAC-SHA256, hex. */
  readonly name: (text: string) => string
  /** A JSON value, sealed for one place: it opens nowhere else. base64url. */
  readonly close: (value: unknown, place: string) => string
  /** The value that was sealed for this place; undefined for anything else. */
  readonly open: (sealed: string, place: string) => unknown
}

const CIPHER = 'aes-256-gcm'
const KEY_BYTES = 32
const SALT_BYTES = 16
const TAG_BYTES = 16
/** Each message has a key of its own, made from its random salt: the nonce never meets the same key twice. */
const NONCE = Buffer.alloc(12)

/** Makes the seal of an installation from its secret. Keys by HKDF (RFC 5869), AES-256-GCM (NIST SP 800-38D). */
export const makeSeal = (secret: Uint8Array): Seal => {
  const keyFor = (purpose: string): Buffer => Buffer.from(hkdfSync('sha256', secret, '', purpose, KEY_BYTES))
  const [names, values] = [keyFor('whittle redis names'), keyFor('whittle redis values')]
  const messageKey = (salt: Uint8Array): Buffer => createHmac('sha256', values).update(salt).digest()
  return {
    name: (text) => createHmac('sha256', names).update(text).digest('hex').slice(0, 32),
    close: (value, place) => {
      const salt = randomBytes(SALT_BYTES)
      const cipher = createCipheriv(CIPHER, messageKey(salt), NONCE).setAAD(Buffer.from(place))
      const text = Buffer.concat([cipher.update(JSON.stringify(value)), cipher.final()])
      return Buffer.concat([salt, cipher.getAuthTag(), text]).toString('base64url')
    },
    open: (sealed, place) => {
      const bytes = Buffer.from(sealed, 'base64url')
      const salt = bytes.subarray(0, SALT_BYTES)
      const tag = bytes.subarray(SALT_BYTES, SALT_BYTES + TAG_BYTES)
      try {
        const cipher = createDecipheriv(CIPHER, messageKey(salt), NONCE, { authTagLength: TAG_BYTES })
        cipher.setAAD(Buffer.from(place)).setAuthTag(tag)
        const text = Buffer.concat([cipher.update(bytes.subarray(SALT_BYTES + TAG_BYTES)), cipher.final()])
        return JSON.parse(text.toString()) as unknown
      } catch {
        return undefined
      }
    },
  }
}
