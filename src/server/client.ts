import type { IncomingMessage } from 'node:http'
import { BlockList, isIPv4 } from 'node:net'
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
export const isForwarded = (request: IncomingMessage): boolean =>
  FORWARDING.some((name) => request.headers[name] !== undefined)

const family = (ip: string): 'ipv4' | 'ipv6' => (isIPv4(ip) ? 'ipv4' : 'ipv6')

/** Makes the rule by which forwarding headers are believed (TRUST_PROXY). */
export const trustRule = (trust: TrustProxy): ((request: IncomingMessage) => boolean) => {
  if (trust.kind !== 'ranges') return () => trust.kind !== 'none'
  const list = new BlockList()
  for (const range of trust.ranges) {
    const [address = '', bits = ''] = range.split('/')
    list.addSubnet(address, Number(bits), family(address))
  }
  return ({ socket }) => {
    const address = (socket.remoteAddress ?? '').replace(/^::ffff:(?=\d+\.)/, '')
    return address !== '' && list.check(address, family(address))
  }
}

/** A host as it may stand in an address: nothing that could break out of one. */
const HOST = /^[A-Za-z0-9.-]+(?::\d{1,5})?$|^\[[0-9A-Fa-f:.]+\](?::\d{1,5})?$/

const first = (value: string | string[] | undefined): string | undefined =>
  (Array.isArray(value) ? value[0] : value)?.split(',')[0]?.trim()

/** The base address of the service as this client sees it: PUBLIC_URL, else what a trusted proxy says, else the Host header. */
export const baseAddress = (
  request: IncomingMessage,
  site: {
    readonly publicUrl: string | undefined
    readonly pathPrefix: string
    readonly trusts: (request: IncomingMessage) => boolean
  },
): string => {
  if (site.publicUrl !== undefined) return site.publicUrl
  const trusted = site.trusts(request)
  const host = (trusted ? first(request.headers['x-forwarded-host']) : undefined) ?? request.headers.host ?? ''
  const secure = trusted && first(request.headers['x-forwarded-proto'])?.toLowerCase() === 'https'
  const { localPort } = request.socket
  return `${secure ? 'https' : 'http'}://${HOST.test(host) ? host : `127.0.0.1:${localPort}`}${site.pathPrefix}`
}
