/** A loader with signed addresses, for server components only: a program with the key can sign any address. */
import { createHmac } from 'node:crypto'
import { requireKey, signSync } from '../delivered.ts'
import { type Loader, type LoaderSettings, originalOf, requestOf } from './loader.ts'

export { type BlurProps, type BlurSettings, blurProps } from './blur.ts'
export type { Loader, LoaderProps, LoaderSettings } from './loader.ts'

/** Settings of a loader with signed addresses. */
export interface SignedLoaderSettings extends LoaderSettings {
  /** A signing key of the account, from the environment. */
  readonly key: string | undefined
}

const hmac = (key: string, text: string): string => createHmac('sha256', key).update(text).digest('base64url')

/** Creates a loader for `getImageProps` of `next/image` on the server. Fails with an Error without a key. */
export const signedLoader = (settings: SignedLoaderSettings): Loader => {
  const key = requireKey(settings.key)
  return (props) => originalOf(settings, props) ?? signSync(settings, requestOf(settings, props), { key, hmac })
}
