/** The password of an origin, to be sent to that origin alone. */
export interface Credentials {
  readonly origin: string
  /** Value for Authorization. */
  readonly authorization: string
}

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** The user info of an address as Basic authentication for its origin; undefined when there is none. */
export const credentialsOf = (url: URL): Credentials | undefined => {
  if (url.username === '' && url.password === '') return undefined
  const pair = Buffer.from(`${decoded(url.username)}:${decoded(url.password)}`, 'utf8')
  return { origin: url.origin, authorization: `Basic ${pair.toString('base64')}` }
}

/** What of the credentials of one hop may go along to the next: nothing, once the scheme, host or port is another. */
export const keptFor = (next: URL, credentials: Credentials | undefined): Credentials | undefined =>
  credentials?.origin === next.origin ? credentials : undefined

/** The address without user info and fragment, fit to be requested and shown. */
export const withoutUserInfo = (url: URL): URL => {
  const bare = new URL(url)
  bare.username = ''
  bare.password = ''
  bare.hash = ''
  return bare
}
