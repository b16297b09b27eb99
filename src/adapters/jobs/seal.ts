import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto'

/**
 * Protects data in Redis from other users of the server. Values are encrypted and authenticated, and names are hashed, with keys derived
 * from the installation's secret.
 */
export interface Seal {
  /** The hash of a name: 128 bits of HMAC-SHA256, hex. */
  readonly name: (text: string) => string
  /** Encrypts a JSON value as base64url. It can only be opened with the same `context`, such as its key in Redis. */
  readonly close: (value: unknown, context: string) => string
  /** The value that was sealed with this `context`. undefined for any other text. */
  readonly open: (sealed: string, context: string) => unknown
}

const CIPHER = 'aes-256-gcm'
/** Bytes of AES-256-GCM (NIST SP 800-38D), and of the salt of each message's key (RFC 5869). */
const BYTES = { key: 32, salt: 16, tag: 16 } as const
/** Constant, since each message has its own key, derived from a random salt. */
const NONCE = Buffer.alloc(12)

/** Makes the seal of an installation from its secret. Keys by HKDF (RFC 5869), AES-256-GCM (NIST SP 800-38D). */
export const makeSeal = (secret: Uint8Array): Seal => {
  const keyFor = (purpose: string): Buffer => Buffer.from(hkdfSync('sha256', secret, '', purpose, BYTES.key))
  const [names, values] = [keyFor('whittle redis names'), keyFor('whittle redis values')]
  const messageKey = (salt: Uint8Array): Buffer => createHmac('sha256', values).update(salt).digest()
  return {
    name: (text) => createHmac('sha256', names).update(text).digest('hex').slice(0, 32),
    close: (value, context) => {
      const salt = randomBytes(BYTES.salt)
      const cipher = createCipheriv(CIPHER, messageKey(salt), NONCE).setAAD(Buffer.from(context))
      const text = Buffer.concat([cipher.update(JSON.stringify(value)), cipher.final()])
      return Buffer.concat([salt, cipher.getAuthTag(), text]).toString('base64url')
    },
    open: (sealed, context) => {
      const bytes = Buffer.from(sealed, 'base64url')
      const salt = bytes.subarray(0, BYTES.salt)
      const tag = bytes.subarray(BYTES.salt, BYTES.salt + BYTES.tag)
      try {
        const cipher = createDecipheriv(CIPHER, messageKey(salt), NONCE, { authTagLength: BYTES.tag })
        cipher.setAAD(Buffer.from(context)).setAuthTag(tag)
        const text = Buffer.concat([cipher.update(bytes.subarray(BYTES.salt + BYTES.tag)), cipher.final()])
        return JSON.parse(text.toString()) as unknown
      } catch {
        return undefined
      }
    },
  }
}
