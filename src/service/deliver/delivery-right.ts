import { domainToASCII } from 'node:url'
import type { SigningKey } from '../../core/signing-key.ts'
import { decodeEscapes } from '../../options/segment.ts'
import type { Delivery } from '../../ports/accounts.ts'
import { imageUrlText } from '../../source/image-url.ts'
import { parseItems } from '../../support/parse-items.ts'

/** A host of a list. `isWildcard`: its subdomains instead. An empty port means the scheme's default. */
interface HostPattern {
  readonly isWildcard: boolean
  readonly host: string
  readonly port: string
}

const PATTERN = /^(\*\.)?(\[[\da-f:.]+\]|[^\s:/?#@*[\]]+)(?::(\d{1,5}))?$/i

const readPattern = (text: string): HostPattern | undefined => {
  const [, star, name = '', port = ''] = PATTERN.exec(text.trim()) ?? []
  const host = name.startsWith('[') ? name.toLowerCase() : domainToASCII(name)
  // `*.com` would allow every site of a top-level domain.
  return host === '' || (star !== undefined && !host.includes('.'))
    ? undefined
    : { isWildcard: star !== undefined, host, port }
}

const print = ({ isWildcard, host, port }: HostPattern): string =>
  `${isWildcard ? '*.' : ''}${host}${port === '' ? '' : `:${port}`}`

/** Parses a comma-separated list of hosts into its canonical form. undefined when an item is invalid. */
export const readHostList = (text: string): readonly string[] | undefined =>
  parseItems(text, (item) => {
    const pattern = readPattern(item)
    return pattern && print(pattern)
  })

const DEFAULT_PORTS: Readonly<Record<string, string>> = { 'http:': '80', 'https:': '443' }

const covers = ({ isWildcard, host, port }: HostPattern, url: URL): boolean => {
  const samePort = port === '' ? url.port === '' : port === (url.port || DEFAULT_PORTS[url.protocol])
  return samePort && (isWildcard ? url.hostname.endsWith(`.${host}`) : url.hostname === host)
}

/** Whether the host of an address is on a list (§8.1). */
export const isListed = (hosts: readonly string[], url: URL): boolean =>
  hosts.some((text) => {
    const pattern = readPattern(text)
    return pattern !== undefined && covers(pattern, url)
  })

/** The parts of a raw option segment. */
export interface SplitOptions {
  /** The options without `sig=` and `exp=`. */
  readonly options: string
  /** The signed text: the segment without `sig=`. */
  readonly list: string
  readonly signature?: string
  /** Expiry of the signature in seconds since 1970. NaN for an invalid `exp=`. */
  readonly expires?: number
}

const IS_SIGNATURE = /^sig(?:=|%3d)/i
const IS_EXPIRY = /^exp(?:=|%3d)/i

/** The value of `sig=` or `exp=`. */
const itemValue = (item: string): string => decodeEscapes(item).slice(4)

/** Parses whole seconds since 1970 of at most twelve digits. NaN for other texts. */
const readExpiry = (text: string): number => (/^\d{1,12}$/.test(text) ? Number(text) : Number.NaN)

/** Separates `sig=<signature>` and `exp=<seconds since 1970>` from a raw option segment. The last one of several counts. */
export const splitSignature = (segment: string): SplitOptions => {
  const items = segment.split(/,|%2c/i)
  const signature = items.findLast((item) => IS_SIGNATURE.test(item))
  const expires = items.findLast((item) => IS_EXPIRY.test(item))
  if (signature === undefined && expires === undefined) return { options: segment, list: segment }
  const unsigned = items.filter((item) => !IS_SIGNATURE.test(item))
  return {
    options: unsigned.filter((item) => !IS_EXPIRY.test(item)).join(','),
    list: unsigned.join(','),
    ...(signature === undefined ? {} : { signature: itemValue(signature) }),
    ...(expires === undefined ? {} : { expires: readExpiry(itemValue(expires)) }),
  }
}

/** The signed parts of an address. */
export interface Signed {
  readonly username: string
  /** The raw option segment without the signature. */
  readonly list: string
  /** The image address as sent, raw or wholly percent-encoded. */
  readonly imageUrl: string
}

/** Returns the signed text: `username/options/address` without percent-encoding. Returns undefined for options with a slash, which are ambiguous. */
const signedText = ({ username, list, imageUrl }: Signed): string | undefined => {
  const plain = decodeEscapes(list)
  return plain.includes('/') ? undefined : `${username}/${plain}/${imageUrlText(imageUrl)}`
}

/** The signature of an address. */
export const signAddress = (key: SigningKey, signed: Signed): string => key.sign(signedText(signed) ?? '')

/** Returns the key of a signature, or undefined if it is none of `keys`. */
export const signerOf = (keys: readonly SigningKey[], signed: Signed, signature: string): SigningKey | undefined => {
  const text = signedText(signed)
  if (text === undefined) return undefined
  // Tries all keys, so that the time does not depend on which one matches.
  const verified = keys.map((key) => key.verifies(text, signature))
  return keys[verified.indexOf(true)]
}

/** Percent-encodes characters that a path cannot contain. */
const inPath = (options: string): string => options.replaceAll(/[^!$&-;=@-Z_a-z~]+/g, encodeURIComponent)

/** The canonical option segment of a signed address: the options, then the whole signature. */
export const signedOptions = (key: SigningKey, signed: Signed): string =>
  [inPath(decodeEscapes(signed.list)), `sig=${signAddress(key, signed)}`].filter((item) => item !== '').join(',')

/** The right of an address to live delivery. `lacks`: the missing right, for the error text. */
export type DeliveryRight =
  | { readonly kind: 'listed' }
  /** `elsewhere`: the path of the canonical address, if this one is not canonical. */
  | { readonly kind: 'signed'; readonly elsewhere?: string }
  | { readonly kind: 'refused'; readonly lacks: string }

/** The signature of an address and its expiry. */
type GivenSignature = Pick<SplitOptions, 'signature' | 'expires'>

/** A requested address. */
export interface SignedRequest extends Signed, GivenSignature {
  /** The raw option segment, signature included. */
  readonly segment: string
}

/**
 * Returns the right of a signed address. The canonical form has one spelling of the options, and two of the image's address: raw, and
 * wholly percent-encoded. Other spellings get a redirect, so that one signature cannot fill caches with copies.
 */
const signedRight = (key: SigningKey, request: SignedRequest): DeliveryRight => {
  const [options, text] = [signedOptions(key, request), imageUrlText(request.imageUrl)]
  const isCanonical = request.segment === options && [text, encodeURIComponent(text)].includes(request.imageUrl)
  if (isCanonical) return { kind: 'signed' }
  return { kind: 'signed', elsewhere: `/${request.username}/${options}/${encodeURIComponent(text)}` }
}

const NOT_A_TIME = 'its exp= is not a time in seconds since 1970'

const expiryProblem = (expires: number | undefined, nowMs: number): string | undefined => {
  if (expires === undefined) return undefined
  if (Number.isNaN(expires)) return NOT_A_TIME
  return expires * 1000 > nowMs ? undefined : `its signature expired at ${new Date(expires * 1000).toISOString()}`
}

/** Returns why a signature is invalid, for the error text, or undefined for a valid one. `signer`: its key. */
const signatureProblem = (
  request: GivenSignature,
  signer: SigningKey | undefined,
  nowMs: number,
): string | undefined => {
  if (request.signature === undefined) return 'it is not signed (sig=)'
  return signer === undefined ? 'its signature is not that of this address' : expiryProblem(request.expires, nowMs)
}

/** Whether an address may be delivered (§8.1) at a time in ms since 1970. */
export const deliveryRight = (
  { hosts, keys }: Delivery,
  url: URL,
  request: SignedRequest,
  nowMs: number = Date.now(),
): DeliveryRight => {
  const signer = request.signature === undefined ? undefined : signerOf(keys, request, request.signature)
  const problem = signatureProblem(request, signer, nowMs)
  if (signer !== undefined && problem === undefined) return signedRight(signer, request)
  if (isListed(hosts, url)) return { kind: 'listed' }
  const isSignatureExpected = keys.length > 0 || request.signature !== undefined
  const lacks = [
    ...(hosts.length === 0 ? [] : [`its host ${url.host} is not on the list of this account`]),
    ...(isSignatureExpected && problem !== undefined ? [problem] : []),
  ]
  return { kind: 'refused', lacks: lacks.join(', and ') }
}
