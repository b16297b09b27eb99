import { randomBytes } from 'node:crypto'

/** Random bytes of a key: 256 bits. */
const KEY_BYTES = 32

/** A fresh random key, in base64url. */
export const makeRandomKey = (): string => randomBytes(KEY_BYTES).toString('base64url')
