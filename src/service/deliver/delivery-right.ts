import { domainToASCII } from 'node:url'
import type { SigningKey } from '../../core/signing-key.ts'
import { decodeEscapes } from '../../options/segment.ts'
import type { Delivery } from '../../ports/accounts.ts'
import { imageUrlText } from '../../source/image-url.ts'

/** A host of a list: exactly it, or everything below it; without a port it is that of the scheme. */
interface HostPattern {
  readonly below: boolean
  readonly host: string
  readonly port: string
}

const PATTERN = /^(\*\.)?(\[[\da-f:.]+\]|[^\s:/?#@*[\]]+)(?::(\d{1,5}))?$/i

const readPattern = (text: string): HostPattern | undefined => {
  const [, star, name = '', port = ''] = PATTERN.exec(text.trim()) ?? []
  const host = name.startsWith('[') ? name.toLowerCase() : domainToASCII(name)
  // Everything below one label would be everything below .com.
  return host === '' || (star !== undefined && !host.includes('.'))
    ? undefined
    : { below: star !== undefined, host, port }
}

const print = ({ below, host, port }: HostPattern): string =>
  `${below ? '*.' : ''}${host}${port === '' ? '' : `:${port}`}`

/** The list of hosts that an account delivers from, in its one form; undefined when an item of it cannot be read. */
export const readHostList = (text: string): readonly string[] | undefined => {
  const patterns = text
    .split(/[\s,]+/)
    .filter(Boolean)
    .map(readPattern)
  const read = patterns.filter((pattern) => pattern !== undefined)
  return read.length === 0 || read.length < patterns.length ? undefined : [...new Set(read.map(print))]
}

const DEFAULT_PORTS: Readonly<Record<string, string>> = { 'http:': '80', 'https:': '443' }

const covers = ({ below, host, port }: HostPattern, url: URL): boolean => {
  const samePort = port === '' ? url.port === '' : port === (url.port || DEFAULT_PORTS[url.protocol])
  return samePort && (below ? url.hostname.endsWith(`.${host}`) : url.hostname === host)
}

/** Whether the host of an address is on a list (§8.1). */
export const isListed = (hosts: readonly string[], url: URL): boolean =>
  hosts.some((text) => {
    const pattern = readPattern(text)
    return pattern !== undefined && covers(pattern, url)
  })

/** A raw option segment, taken apart. */
export interface SplitOptions {
  /** The options alone, without `sig=` and `exp=`. */
  readonly options: string
  /** The signed option segment: without `sig=`. */
  readonly list: string
  readonly signature?: string
  /** Seconds since 1970 from which on the signature is void; NaN where `exp=` holds no such number. */
  readonly expires?: number
}

const IS_SIGNATURE = /^sig(?:=|%3d)/i
const IS_EXPIRY = /^exp(?:=|%3d)/i

/** The value behind the four characters of `sig=` or `exp=`. */
const behindEquals = (item: string): string => decodeEscapes(item).slice(4)

/** Whole seconds since 1970 in at most twelve digits, else NaN. */
const readExpiry = (text: string): number => (/^\d{1,12}$/.test(text) ? Number(text) : Number.NaN)

/** Takes `sig=<signature>` and `exp=<seconds since 1970>` out of a raw option segment; of several the last counts. */
export const splitSignature = (segment: string): SplitOptions => {
  const items = segment.split(/,|%2c/i)
  const signature = items.findLast((item) => IS_SIGNATURE.test(item))
  const expires = items.findLast((item) => IS_EXPIRY.test(item))
  if (signature === undefined && expires === undefined) return { options: segment, list: segment }
  const unsigned = items.filter((item) => !IS_SIGNATURE.test(item))
  return {
    options: unsigned.filter((item) => !IS_EXPIRY.test(item)).join(','),
    list: unsigned.join(','),
    ...(signature === undefined ? {} : { signature: behindEquals(signature) }),
    ...(expires === undefined ? {} : { expires: readExpiry(behindEquals(expires)) }),
  }
}

/** The parts of an address that a signature is over. */
export interface Signed {
  readonly username: string
  /** The raw segment, without the signature. */
  readonly list: string
  /** As it stands in the address, raw or wholly percent-encoded. */
  readonly imageUrl: string
}

/** The signed text: `username/options/address`, each before percent-encoding. Undefined for options with a slash, which are ambiguous. */
const signedText = ({ username, list, imageUrl }: Signed): string | undefined => {
  const plain = decodeEscapes(list)
  return plain.includes('/') ? undefined : `${username}/${plain}/${imageUrlText(imageUrl)}`
}

/** The signature of an address. */
export const signAddress = (key: SigningKey, signed: Signed): string => key.sign(signedText(signed) ?? '')

/** The one of the keys that made the signature of an address; undefined when none of them did. */
export const signerOf = (keys: readonly SigningKey[], signed: Signed, signature: string): SigningKey | undefined => {
  const text = signedText(signed)
  if (text === undefined) return undefined
  // All keys are tried: the time does not depend on which of them made it.
  const made = keys.map((key) => key.verifies(text, signature))
  return keys[made.indexOf(true)]
}

/** Options as they stand in a path: what a path cannot hold is percent-encoded. */
const inPath = (options: string): string => options.replaceAll(/[^!$&-;=@-Z_a-z~]+/g, encodeURIComponent)

/** The option segment of a signed address in its one form: the options, then the whole signature. */
const signedOptions = (key: SigningKey, signed: Signed): string =>
  [inPath(decodeEscapes(signed.list)), `sig=${signAddress(key, signed)}`].filter((item) => item !== '').join(',')

/** By what an image may be delivered live, or what is missing, in words. */
export type DeliveryRight =
  | { readonly kind: 'listed' }
  /** `elsewhere`: the path of its canonical address, where this is another way to write it. */
  | { readonly kind: 'signed'; readonly elsewhere?: string }
  | { readonly kind: 'refused'; readonly lacks: string }

/** A signature and the time from which on it is void, as they stand in an address. */
type Given = Pick<SplitOptions, 'signature' | 'expires'>

/** An address as it was asked for. */
export interface AskedAddress extends Signed, Given {
  /** The raw option segment, signature included. */
  readonly segment: string
}

/**
 * The right of a signed address. Its options have one form, its image's address two: as it was signed, and wholly
 * percent-encoded. Any other form leads there: one signature must not fill caches with copies.
 */
const signedRight = (key: SigningKey, asked: AskedAddress): DeliveryRight => {
  const [options, text] = [signedOptions(key, asked), imageUrlText(asked.imageUrl)]
  const isCanonical = asked.segment === options && [text, encodeURIComponent(text)].includes(asked.imageUrl)
  if (isCanonical) return { kind: 'signed' }
  return { kind: 'signed', elsewhere: `/${asked.username}/${options}/${encodeURIComponent(text)}` }
}

const NOT_A_TIME = 'its exp= is not a time in seconds since 1970'

const expiryLack = (expires: number | undefined, nowMs: number): string | undefined => {
  if (expires === undefined) return undefined
  if (Number.isNaN(expires)) return NOT_A_TIME
  return expires * 1000 > nowMs ? undefined : `its signature expired at ${new Date(expires * 1000).toISOString()}`
}

/** Why a signature does not hold, in words; undefined if it does. `signer` made it. */
const signatureLack = (asked: Given, signer: SigningKey | undefined, nowMs: number): string | undefined => {
  if (asked.signature === undefined) return 'it is not signed (sig=)'
  return signer === undefined ? 'its signature is not that of this address' : expiryLack(asked.expires, nowMs)
}

/** Decides whether an address is delivered (§8.1) at a time in ms since 1970. */
export const deliveryRight = (
  { hosts, keys }: Delivery,
  url: URL,
  asked: AskedAddress,
  nowMs: number = Date.now(),
): DeliveryRight => {
  const signer = asked.signature === undefined ? undefined : signerOf(keys, asked, asked.signature)
  const lack = signatureLack(asked, signer, nowMs)
  if (signer !== undefined && lack === undefined) return signedRight(signer, asked)
  if (isListed(hosts, url)) return { kind: 'listed' }
  const isSignatureWanted = keys.length > 0 || asked.signature !== undefined
  const lacks = [
    ...(hosts.length === 0 ? [] : [`its host ${url.host} is not on the list of this account`]),
    ...(isSignatureWanted && lack !== undefined ? [lack] : []),
  ]
  return { kind: 'refused', lacks: lacks.join(', and ') }
}
