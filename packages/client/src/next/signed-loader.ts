/** A loader whose addresses are signed: for server components alone, since who has the key signs whatever it likes. */
import { createHmac } from 'node:crypto'
import { requireKey, signAtOnce } from '../delivered.ts'
import { type Loader, type LoaderSettings, originalOf, requestOf } from './loader.ts'

export { type BlurProps, type BlurSettings, blurProps } from './blur.ts'
export type { Loader, LoaderProps, LoaderSettings } from './loader.ts'

export interface SignedLoaderSettings extends LoaderSettings {
  /** A signing key of the account, from the environment. */
  readonly key: string | undefined
}

const hmac = (key: string, text: string): string => createHmac('sha256', key).update(text).digest('base64url')

/** For `getImageProps` of `next/image` on the server. Fails without a key. */
export const signedLoader = (settings: SignedLoaderSettings): Loader => {
  const key = requireKey(settings.key)
  return (props) => originalOf(settings, props) ?? signAtOnce(settings, requestOf(settings, props), { key, hmac })
}
