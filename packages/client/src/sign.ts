/** The signed parts, each before percent-encoding. */
export interface Signed {
  readonly account: string
  /** The option list, without the signature. */
  readonly options: string
  readonly source: string
}

const base64url = (bytes: ArrayBuffer): string =>
  btoa(String.fromCharCode(...new Uint8Array(bytes)))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')

/** The service reads an address with its scheme in lower case and two slashes behind it. */
const asRead = (source: string): string =>
  source.replace(/^(https?):\/*/i, (_, scheme: string) => `${scheme.toLowerCase()}://`)

/** The text that a signature is over. */
export const signedText = ({ account, options, source }: Signed): string => `${account}/${options}/${asRead(source)}`

/** Signs an address for live delivery: HMAC-SHA256 of `account/options/source`, keyed with the key as text; base64url. */
export const signDelivery = async (key: string, signed: Signed): Promise<string> => {
  const text = new TextEncoder()
  const hmac = { name: 'HMAC', hash: 'SHA-256' }
  const imported = await crypto.subtle.importKey('raw', text.encode(key), hmac, false, ['sign'])
  return base64url(await crypto.subtle.sign('HMAC', imported, text.encode(signedText(signed))))
}
