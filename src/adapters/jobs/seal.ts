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
/** Bytes of AES-256-GCM (NIST SP 800-38D), and of the salt of each message's key (RFC 5869). */
const BYTES = { key: 32, salt: 16, tag: 16 } as const
/** Each message has a key of its own, made from its random salt: the nonce never meets the same key twice. */
const NONCE = Buffer.alloc(12)

/** Makes the seal of an installation from its secret. Keys by HKDF (RFC 5869), AES-256-GCM (NIST SP 800-38D). */
export const makeSeal = (secret: Uint8Array): Seal => {
  const keyFor = (purpose: string): Buffer => Buffer.from(hkdfSync('sha256', secret, '', purpose, BYTES.key))
  const [names, values] = [keyFor('whittle redis names'), keyFor('whittle redis values')]
  const messageKey = (salt: Uint8Array): Buffer => createHmac('sha256', values).update(salt).digest()
  return {
    name: (text) => createHmac('sha256', names).update(text).digest('hex').slice(0, 32),
    close: (value, place) => {
      const salt = randomBytes(BYTES.salt)
      const cipher = createCipheriv(CIPHER, messageKey(salt), NONCE).setAAD(Buffer.from(place))
      const text = Buffer.concat([cipher.update(JSON.stringify(value)), cipher.final()])
      return Buffer.concat([salt, cipher.getAuthTag(), text]).toString('base64url')
    },
    open: (sealed, place) => {
      const bytes = Buffer.from(sealed, 'base64url')
      const salt = bytes.subarray(0, BYTES.salt)
      const tag = bytes.subarray(BYTES.salt, BYTES.salt + BYTES.tag)
      try {
        const cipher = createDecipheriv(CIPHER, messageKey(salt), NONCE, { authTagLength: BYTES.tag })
        cipher.setAAD(Buffer.from(place)).setAuthTag(tag)
        const text = Buffer.concat([cipher.update(bytes.subarray(BYTES.salt + BYTES.tag)), cipher.final()])
        return JSON.parse(text.toString()) as unknown
      } catch {
        return undefined
      }
    },
  }
}
