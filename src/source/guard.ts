import { BlockList, isIP, isIPv4 } from 'node:net'

/** An address range, `address/bits`, as the setting ALLOW_PRIVATE_SOURCES gives it. */
export type Cidr = string

/**
 * IPv4 that is not, or not for sure, somebody's public server: IANA's special-purpose registry, multicast, and the one
 * public-looking address behind which a cloud (Azure) keeps its machine metadata.
 */
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

/** All of IPv6 that is handed out to anybody. Mapped, NAT64, unique-local, link-local, multicast … lie outside it. */
const GLOBAL_IPV6: Cidr = '2000::/3'

/** Inside of 2000::/3: IETF protocols (Teredo, ORCHID, benchmarking), documentation, 6to4, which wraps any IPv4. */
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

/** Lists are made once for each setting, not for each address. */
const made = new WeakMap<readonly Cidr[], BlockList>()

const exceptions = (allowed: readonly Cidr[]): BlockList => {
  const list = made.get(allowed) ?? listOf(allowed)
  made.set(allowed, list)
  return list
}

/**
 * Whether an image may be fetched from this IP address: globally routable, or in a range of `allowed`.
 * A range of IPv4 admits its IPv4-mapped form too. What is no IP address, or carries a zone, is refused. Any port will do.
 */
export const isPublicAddress = (ip: string, allowed: readonly Cidr[]): boolean => {
  if (isIP(ip) === 0 || ip.includes('%')) return false
  if (exceptions(allowed).check(ip, family(ip))) return true
  return isIPv4(ip) ? !refusedV4.check(ip) : globalV6.check(ip, 'ipv6') && !refusedV6.check(ip, 'ipv6')
}
