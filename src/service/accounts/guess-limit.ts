import { isIPv6 } from 'node:net'
import { fail } from '../../core/failure.ts'

/** Slows down who tries usernames: they are all that a caller identifies itself by. */
export interface GuessLimit {
  /** Fails with TOO_MANY_GUESSES for an address with too many wrong usernames, unless this one was right from there before. */
  readonly check: (address: string, username: string) => void
  readonly wrong: (address: string) => void
  readonly right: (address: string, username: string) => void
}

interface Settings {
  /** Wrong usernames that an address has at once … */
  readonly burst?: number
  /** … and how many it gets back a minute. */
  readonly perMinute?: number
  /** Milliseconds. */
  readonly now?: () => number
}

/** Addresses, and pairs of address and username; the oldest are forgotten first. */
const MAX_REMEMBERED = 20_000

/** A client with one IPv6 address usually has its whole /64 network. */
const networkOf = (address: string): string => {
  if (!isIPv6(address)) return address
  const [head = '', tail] = address.split('::')
  const groups = head.split(':').filter(Boolean)
  const zeros =
    tail === undefined ? [] : Array<string>(8 - groups.length - tail.split(':').filter(Boolean).length).fill('0')
  return [...groups, ...zeros, ...(tail ?? '').split(':').filter(Boolean)].slice(0, 4).join(':')
}

const remember = <Key, Value>(map: Map<Key, Value>, key: Key, value: Value): void => {
  map.delete(key)
  map.set(key, value)
  const [oldest] = map.keys()
  if (map.size > MAX_REMEMBERED && oldest !== undefined) map.delete(oldest)
}

/**
 * A token bucket for each address. While it is empty, right usernames are refused like wrong ones; else guessing would go on
 * at full speed. Usernames that were right from the same address before are still accepted.
 */
export const openGuessLimit = ({
  burst = 20,
  perMinute = 10,
  now = () => performance.now(),
}: Settings = {}): GuessLimit => {
  const spent = new Map<string, { readonly tokens: number; readonly at: number }>()
  const known = new Map<string, true>()
  const tokensOf = (network: string): number => {
    const last = spent.get(network)
    return last === undefined ? burst : Math.min(burst, last.tokens + ((now() - last.at) / 60_000) * perMinute)
  }
  return {
    check: (address, username) => {
      const network = networkOf(address)
      if (!known.has(`${network} ${username}`) && tokensOf(network) < 1) throw fail('TOO_MANY_GUESSES')
    },
    wrong: (address) => {
      const network = networkOf(address)
      remember(spent, network, { tokens: Math.max(0, tokensOf(network) - 1), at: now() })
    },
    right: (address, username) => remember(known, `${networkOf(address)} ${username}`, true),
  }
}
