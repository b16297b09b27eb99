/** A loader whose addresses are signed: for server components alone, since who has the key signs whatever it likes. */
import { createHmac } from 'node:crypto'
import { addressOf, placeOf } from '../address.ts'
import { signedText } from '../sign.ts'
import { type Loader, type LoaderSettings, originalOf, requestOf } from './loader.ts'

export type { Loader, LoaderProps, LoaderSettings } from './loader.ts'

export interface SignedLoaderSettings extends LoaderSettings {
  /** A signing key of the account, from the environment. */
  readonly key: string | undefined
}

/** For `getImageProps` of `next/image` on the server. Loaders answer at once, so it signs with Node's own HMAC. Fails without a key. */
export const signedLoader = (settings: SignedLoaderSettings): Loader => {
  const { base, account, key } = settings
  if (key === undefined || key === '')
    throw new Error('There is no key to sign addresses with: whittle accounts rotate makes one.')
  return (props) => {
    const original = originalOf(settings, props)
    if (original !== undefined) return original
    const { request, source } = requestOf(settings, props)
    const options = request.options()
    const signature = createHmac('sha256', key).update(signedText({ account, options, source })).digest('base64url')
    return addressOf(placeOf(base, account), `${options},sig=${signature}`, source)
  }
}
