/** The parts of an address that a signature covers, without percent-encoding. */
export interface SignedParts {
  readonly account: string
  /** The option list without the item `sig=`. */
  readonly options: string
  readonly source: string
}

const base64url = (bytes: ArrayBuffer): string =>
  btoa(String.fromCharCode(...new Uint8Array(bytes)))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')

/** Applies the service's normalisation: the scheme in lower case, followed by two slashes. */
const normalised = (source: string): string =>
  source.replace(/^(https?):\/*/i, (_, scheme: string) => `${scheme.toLowerCase()}://`)

/**
 * Returns the text to sign: `account/options/source`. Fails with a TypeError for options with a slash, such as a background that a visitor
 * wrote: the same text would sign another source.
 */
export const signedText = ({ account, options, source }: SignedParts): string => {
  if (options.includes('/')) throw new TypeError(`The options "${options}" hold a slash, so they cannot be signed.`)
  return `${account}/${options}/${normalised(source)}`
}

/** Returns the signature for live delivery in base64url: HMAC-SHA256 of `account/options/source`, with the text of `key` as its key. Fails like {@link signedText}. */
export const signDelivery = async (key: string, parts: SignedParts): Promise<string> => {
  const text = new TextEncoder()
  const hmac = { name: 'HMAC', hash: 'SHA-256' }
  const imported = await crypto.subtle.importKey('raw', text.encode(key), hmac, false, ['sign'])
  return base64url(await crypto.subtle.sign('HMAC', imported, text.encode(signedText(parts))))
}
