import type { IncomingMessage } from 'node:http'
import { BlockList, isIP, isIPv4 } from 'node:net'
import type { TrustProxy } from '../settings/readers.ts'

/** Headers that only proxies add. */
const FORWARDING = [
  'forwarded',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
  'x-real-ip',
  'via',
  'cf-connecting-ip',
]

/** Whether the request came through a proxy. */
const isForwarded = (request: IncomingMessage): boolean =>
  FORWARDING.some((name) => request.headers[name] !== undefined)

const family = (ip: string): 'ipv4' | 'ipv6' => (isIPv4(ip) ? 'ipv4' : 'ipv6')

/** An address without the extras of some notations: IPv4 inside IPv6, brackets, a port. */
const bare = (address: string): string =>
  address
    .trim()
    .replace(/^\[(.+)\](?::\d+)?$/, '$1')
    .replace(/^(\d+\.\d+\.\d+\.\d+):\d+$/, '$1')
    .replace(/^::ffff:(?=\d+\.)/i, '')

const isLoopback = (address: string): boolean => /^127\.|^::1$/.test(address)

/** Whether a host names this machine. Ignores other names that resolve to it, because of DNS rebinding. */
const isLoopbackHost = (host: string): boolean => /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])(?::\d+)?$/i.test(host)

/**
 * Whether a program on this machine, or a page of the service itself, sent the request. Pages of other sites can make a local browser
 * send requests, but those carry the site's origin.
 */
export const isLocal = (request: IncomingMessage): boolean => {
  const { host = '', origin } = request.headers
  const isOwn = origin === undefined || origin === `http://${host}`
  return isLoopback(bare(request.socket.remoteAddress ?? '')) && isLoopbackHost(host) && isOwn && !isForwarded(request)
}

/** Counts the nearest hops that are trusted proxies. `chain`: addresses from the connection outwards. */
type CountProxies = (chain: readonly string[]) => number

const countWithin = (ranges: readonly string[]): CountProxies => {
  const list = new BlockList()
  for (const range of ranges) {
    const [address = '', bits = ''] = range.split('/')
    list.addSubnet(address, Number(bits), family(address))
  }
  return (chain) => {
    const firstUntrusted = chain.findIndex((address) => isIP(address) === 0 || !list.check(address, family(address)))
    return firstUntrusted < 0 ? chain.length : firstUntrusted
  }
}

/** Converts TRUST_PROXY to a rule. */
export const trustRule = (trust: TrustProxy): CountProxies => {
  if (trust.kind === 'ranges') return countWithin(trust.ranges)
  if (trust.kind === 'hops') return () => trust.hops
  return trust.kind === 'all' ? (chain) => chain.length : () => 0
}

const listOf = (value: string | string[] | undefined): readonly string[] =>
  value === undefined ? [] : [value].flat().join(',').split(',')

/** Addresses of a request's hops, from the connection outwards. Each proxy appends the address of its own client. */
const chainOf = ({ socket, headers }: IncomingMessage): readonly string[] => [
  bare(socket.remoteAddress ?? ''),
  ...listOf(headers['x-forwarded-for']).map(bare).reverse(),
]

/** The client of a request. */
export interface Client {
  /** IP address, as reported by trusted proxies. */
  readonly address: string
  /** Number of trusted proxies that the request came through. */
  readonly proxies: number
}

/** Returns the client: the first hop that is not a trusted proxy. A client cannot forge it. */
export const clientOf = (request: IncomingMessage, countProxies: CountProxies): Client => {
  const chain = chainOf(request)
  const proxies = countProxies(chain)
  const at = Math.min(proxies, chain.length - 1)
  const address = chain[at] ?? ''
  return { address: isIP(address) === 0 ? (chain[0] ?? '') : address, proxies }
}

/** A host without characters that could end it inside an address. */
const HOST = /^[A-Za-z0-9.-]+(?::\d{1,5})?$|^\[[0-9A-Fa-f:.]+\](?::\d{1,5})?$/

/** The value from the outermost trusted proxy. Each proxy appends to the list, so it is at this distance from the end. */
const forwardedValue = (value: string | string[] | undefined, proxies: number): string | undefined => {
  const list = listOf(value)
  return proxies === 0 ? undefined : list[Math.max(0, list.length - proxies)]?.trim()
}

/** The base address of the service as this client sees it: PUBLIC_URL, else the trusted proxies' headers, else the Host header. */
export const baseAddress = (
  request: IncomingMessage,
  client: Client,
  site: { readonly publicUrl: string | undefined; readonly pathPrefix: string },
): string => {
  if (site.publicUrl !== undefined) return site.publicUrl
  const host = forwardedValue(request.headers['x-forwarded-host'], client.proxies) ?? request.headers.host ?? ''
  const secure = forwardedValue(request.headers['x-forwarded-proto'], client.proxies)?.toLowerCase() === 'https'
  const { localPort } = request.socket
  return `${secure ? 'https' : 'http'}://${HOST.test(host) ? host : `127.0.0.1:${localPort}`}${site.pathPrefix}`
}

/**
 * Returns the id from a trusted proxy, or undefined without REQUEST_ID_HEADER. All nodes that the proxy tries get the same id, so
 * that quota is reserved once. An id from the client itself is not accepted: it could name a charge that is already paid.
 */
export const requestId = (
  request: IncomingMessage,
  client: Client,
  { requestIdHeader }: { readonly requestIdHeader: string | undefined },
): string | undefined => {
  const given = requestIdHeader === undefined || client.proxies === 0 ? undefined : request.headers[requestIdHeader]
  return typeof given === 'string' && /^[\w-]{16,64}$/.test(given) ? given : undefined
}
