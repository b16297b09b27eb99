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

/** Whether a proxy stands in front of the service. */
const isForwarded = (request: IncomingMessage): boolean =>
  FORWARDING.some((name) => request.headers[name] !== undefined)

const family = (ip: string): 'ipv4' | 'ipv6' => (isIPv4(ip) ? 'ipv4' : 'ipv6')

/** An address without what only some notations of it carry: an IPv4 address within IPv6, brackets, a port. */
const bare = (address: string): string =>
  address
    .trim()
    .replace(/^\[(.+)\](?::\d+)?$/, '$1')
    .replace(/^(\d+\.\d+\.\d+\.\d+):\d+$/, '$1')
    .replace(/^::ffff:(?=\d+\.)/i, '')

const isLoopback = (address: string): boolean => /^127\.|^::1$/.test(address)

/** Whether the host of an address names this machine itself; others that resolve to it do not count (DNS rebinding). */
const isLoopbackHost = (host: string): boolean => /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])(?::\d+)?$/i.test(host)

/**
 * Whether a request was sent on this machine by a program, or by a page of the service itself. A page of anybody else's can make
 * a browser here send requests: they carry its origin.
 */
export const isLocal = (request: IncomingMessage): boolean => {
  const { host = '', origin } = request.headers
  const isOwn = origin === undefined || origin === `http://${host}`
  return isLoopback(bare(request.socket.remoteAddress ?? '')) && isLoopbackHost(host) && isOwn && !isForwarded(request)
}

/** How many of the nearest hops are proxies of ours, given the chain of addresses from the connection outwards. */
type CountProxies = (chain: readonly string[]) => number

const countWithin = (ranges: readonly string[]): CountProxies => {
  const list = new BlockList()
  for (const range of ranges) {
    const [address = '', bits = ''] = range.split('/')
    list.addSubnet(address, Number(bits), family(address))
  }
  return (chain) => {
    const stranger = chain.findIndex((address) => isIP(address) === 0 || !list.check(address, family(address)))
    return stranger < 0 ? chain.length : stranger
  }
}

/** Makes the rule by which forwarding headers are believed (TRUST_PROXY). */
export const trustRule = (trust: TrustProxy): CountProxies => {
  if (trust.kind === 'ranges') return countWithin(trust.ranges)
  if (trust.kind === 'hops') return () => trust.hops
  return trust.kind === 'all' ? (chain) => chain.length : () => 0
}

const listOf = (value: string | string[] | undefined): readonly string[] =>
  value === undefined ? [] : [value].flat().join(',').split(',')

/** Addresses that a request came through, from the connection outwards: each proxy appends the one that it was asked from. */
const chainOf = ({ socket, headers }: IncomingMessage): readonly string[] => [
  bare(socket.remoteAddress ?? ''),
  ...listOf(headers['x-forwarded-for']).map(bare).reverse(),
]

/** What is known of the other end of a connection. */
export interface Client {
  /** IP address, as far as our own proxies tell it. */
  readonly address: string
  /** How many proxies of ours the request came through. */
  readonly proxies: number
}

/** Finds out who is asking: the first hop that is no proxy of ours, which a client cannot choose for itself. */
export const clientOf = (request: IncomingMessage, countProxies: CountProxies): Client => {
  const chain = chainOf(request)
  const proxies = countProxies(chain)
  const at = Math.min(proxies, chain.length - 1)
  const address = chain[at] ?? ''
  return { address: isIP(address) === 0 ? (chain[0] ?? '') : address, proxies }
}

/** A host as it may stand in an address: nothing that could break out of one. */
const HOST = /^[A-Za-z0-9.-]+(?::\d{1,5})?$|^\[[0-9A-Fa-f:.]+\](?::\d{1,5})?$/

/** What the outermost of our proxies says: where each appends its own word to a list, that one's is so many from the right. */
const toldBy = (value: string | string[] | undefined, proxies: number): string | undefined => {
  const list = listOf(value)
  return proxies === 0 ? undefined : list[Math.max(0, list.length - proxies)]?.trim()
}

/** The base address of the service as this client sees it: PUBLIC_URL, else what trusted proxies say, else the Host header. */
export const baseAddress = (
  request: IncomingMessage,
  client: Client,
  site: { readonly publicUrl: string | undefined; readonly pathPrefix: string },
): string => {
  if (site.publicUrl !== undefined) return site.publicUrl
  const host = toldBy(request.headers['x-forwarded-host'], client.proxies) ?? request.headers.host ?? ''
  const secure = toldBy(request.headers['x-forwarded-proto'], client.proxies)?.toLowerCase() === 'https'
  const { localPort } = request.socket
  return `${secure ? 'https' : 'http'}://${HOST.test(host) ? host : `127.0.0.1:${localPort}`}${site.pathPrefix}`
}

/**
 * What a proxy of ours calls this request: the same on every node that it tries, so that reservations of quota are made once.
 * Undefined unless a header for it is set (REQUEST_ID_HEADER): what a client names itself could be paid for already.
 */
export const requestId = (
  request: IncomingMessage,
  client: Client,
  { requestIdHeader }: { readonly requestIdHeader: string | undefined },
): string | undefined => {
  const given = requestIdHeader === undefined || client.proxies === 0 ? undefined : request.headers[requestIdHeader]
  return typeof given === 'string' && /^[\w-]{16,64}$/.test(given) ? given : undefined
}
