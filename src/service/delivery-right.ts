import { domainToASCII } from 'node:url'
import type { SigningKey } from '../core/signing-key.ts'
import { decodeEscapes } from '../options/segment.ts'
import type { Delivery } from '../ports/accounts.ts'
import { imageUrlText } from '../source/image-url.ts'

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

/** A raw option segment without its signature. */
export interface SplitOptions {
  readonly list: string
  readonly signature?: string
}

/** Takes `sig=<signature>` out of a raw option segment; of several the last counts. */
export const splitSignature = (options: string): SplitOptions => {
  const items = options.split(/,|%2c/i)
  const isSignature = (item: string): boolean => /^sig(?:=|%3d)/i.test(item)
  const signature = items.findLast(isSignature)
  if (signature === undefined) return { list: options }
  const list = items.filter((item) => !isSignature(item)).join(',')
  return { list, signature: decodeEscapes(signature).slice('sig='.length) }
}

/** The parts of an address that a signature is over. */
export interface Signed {
  readonly username: string
  /** The raw segment, without the signature. */
  readonly list: string
  /** As it stands in the address, raw or wholly percent-encoded. */
  readonly imageUrl: string
}

/** What is signed: `username/options/address`, each as it is before percent-encoding. Undefined where options hold a slash: it could be read in two ways. */
const signedText = ({ username, list, imageUrl }: Signed): string | undefined => {
  const plain = decodeEscapes(list)
  return plain.includes('/') ? undefined : `${username}/${plain}/${imageUrlText(imageUrl)}`
}

/** The signature of an address. */
export const signAddress = (key: SigningKey, signed: Signed): string => key.sign(signedText(signed) ?? '')

/** Whether one of the keys made the signature of an address. */
export const isSigned = (keys: readonly SigningKey[], signed: Signed, signature: string): boolean => {
  const text = signedText(signed)
  // All keys are tried, so that the time tells nothing of which one it was.
  return text !== undefined && keys.map((key) => key.verifies(text, signature)).includes(true)
}

/** By what an image may be delivered live, or what is missing, in words. */
export type DeliveryRight =
  | { readonly kind: 'listed' | 'signed' }
  | { readonly kind: 'refused'; readonly lacks: string }

const signatureLack = (keys: readonly SigningKey[], signature: string | undefined): readonly string[] => {
  if (signature !== undefined) return ['its signature is not that of this address']
  return keys.length === 0 ? [] : ['it is not signed (sig=)']
}

/** Decides whether an address is delivered (§8.1). */
export const deliveryRight = (
  { hosts, keys }: Delivery,
  url: URL,
  signed: Signed & { readonly signature?: string },
): DeliveryRight => {
  const { signature } = signed
  if (signature !== undefined && isSigned(keys, signed, signature)) return { kind: 'signed' }
  if (isListed(hosts, url)) return { kind: 'listed' }
  const lacks = [
    ...(hosts.length === 0 ? [] : [`its host ${url.host} is not on the list of this account`]),
    ...signatureLack(keys, signature),
  ]
  return { kind: 'refused', lacks: lacks.join(', and ') }
}
