import { BlockList, isIP, isIPv4 } from 'node:net'
import { networkInterfaces } from 'node:os'

/** An address range as `address/bits`: the form of ALLOW_PRIVATE_SOURCES. */
export type Cidr = string

/** IPv4 ranges that may not be public: IANA's special-purpose registry, multicast, and the address of Azure's machine metadata. */
const REFUSED_IPV4: readonly Cidr[] = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '168.63.129.16/32',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
]

/** All allocated global IPv6. Mapped, NAT64, unique-local, link-local and multicast addresses lie outside. */
const GLOBAL_IPV6: Cidr = '2000::/3'

/** Exceptions inside of 2000::/3: IETF protocols (Teredo, ORCHID, benchmarking), documentation, and 6to4, which wraps any IPv4. */
const REFUSED_IPV6: readonly Cidr[] = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20']

const family = (ip: string): 'ipv4' | 'ipv6' => (isIPv4(ip) ? 'ipv4' : 'ipv6')

const listOf = (ranges: readonly Cidr[]): BlockList => {
  const list = new BlockList()
  for (const range of ranges) {
    const [address = '', bits = isIPv4(range) ? '32' : '128'] = range.split('/')
    list.addSubnet(address, Number(bits), family(address))
  }
  return list
}

const refusedV4 = listOf(REFUSED_IPV4)
const refusedV6 = listOf(REFUSED_IPV6)
const globalV6 = listOf([GLOBAL_IPV6])

/** Block lists by setting. Building one for each check would cost too much. */
const blockLists = new WeakMap<readonly Cidr[], BlockList>()

const exceptions = (allowed: readonly Cidr[]): BlockList => {
  const list = blockLists.get(allowed) ?? listOf(allowed)
  blockLists.set(allowed, list)
  return list
}

/** Returns the addresses of this machine's network interfaces. Each call queries the system, since they can change. */
export const ownAddresses = (): readonly string[] =>
  Object.values(networkInterfaces()).flatMap((entries = []) => entries.map(({ address }) => address))

/** Whether an address is this machine's own. A service on its public address may trust this machine, so a fetch from there is internal access. */
const isOneOf = (ip: string, addresses: readonly string[]): boolean => {
  const list = new BlockList()
  for (const address of addresses) list.addAddress(address, family(address))
  return list.check(ip, family(ip))
}

/**
 * Returns whether an image may be fetched from this IP address. Allowed are globally routable addresses that are not the machine's
 * own, and those in a range of `allowed`. An IPv4 range includes its IPv4-mapped form. A text that is no IP address, or that has a
 * zone, is refused. The port does not matter.
 */
export const isPublicAddress = (
  ip: string,
  allowed: readonly Cidr[],
  own: readonly string[] = ownAddresses(),
): boolean => {
  if (isIP(ip) === 0 || ip.includes('%')) return false
  if (exceptions(allowed).check(ip, family(ip))) return true
  if (isOneOf(ip, own)) return false
  return isIPv4(ip) ? !refusedV4.check(ip) : globalV6.check(ip, 'ipv6') && !refusedV6.check(ip, 'ipv6')
}
