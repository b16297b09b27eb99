import { decodePercent } from '../core/decode-percent.ts'

/** The password of an origin. It is sent to that origin only. */
export interface Credentials {
  readonly origin: string
  /** Value for Authorization. */
  readonly authorization: string
}

const decoded = (text: string): string => decodePercent(text) ?? text

/** Converts the user info of an address to Basic authentication for its origin. Returns undefined without user info. */
export const credentialsOf = (url: URL): Credentials | undefined => {
  if (url.username === '' && url.password === '') return undefined
  const pair = Buffer.from(`${decoded(url.username)}:${decoded(url.password)}`, 'utf8')
  return { origin: url.origin, authorization: `Basic ${pair.toString('base64')}` }
}

/** Returns the credentials for the next hop: none if its scheme, host or port differs. */
export const credentialsFor = (next: URL, credentials: Credentials | undefined): Credentials | undefined =>
  credentials?.origin === next.origin ? credentials : undefined

/** Returns the address without user info and fragment, safe to request and to show. */
export const withoutUserInfo = (url: URL): URL => {
  const bare = new URL(url)
  bare.username = ''
  bare.password = ''
  bare.hash = ''
  return bare
}
