import { isIPv6 } from 'node:net'
import { fail } from '../../core/failure.ts'
import { MAX_REMEMBERED } from '../../core/intervals.ts'
import { setNewest } from '../../support/set-newest.ts'

/** Slows down clients that guess usernames, since a username alone may grant access. */
export interface GuessLimit {
  /** Fails with TOO_MANY_GUESSES after too many unknown usernames from an address, unless the address has used this username before. */
  readonly check: (address: string, username: string) => void
  /** Records an unknown username. */
  readonly wrong: (address: string) => void
  /** Records a known username. */
  readonly right: (address: string, username: string) => void
}

interface Settings {
  /** Capacity of the bucket: unknown usernames in a row. */
  readonly burst?: number
  /** Tokens that a bucket regains per minute. */
  readonly perMinute?: number
  /** Returns the time in ms. */
  readonly now?: () => number
}

/** Returns the /64 network of an IPv6 address, since a client usually has all its addresses. */
const networkOf = (address: string): string => {
  if (!isIPv6(address)) return address
  const [head = '', tail] = address.split('::')
  const groups = head.split(':').filter(Boolean)
  const zeros =
    tail === undefined ? [] : Array<string>(8 - groups.length - tail.split(':').filter(Boolean).length).fill('0')
  return [...groups, ...zeros, ...(tail ?? '').split(':').filter(Boolean)].slice(0, 4).join(':')
}

/**
 * Opens a token bucket per address. While it is empty, it refuses new usernames whether they exist or not, so that guesses reveal
 * nothing. It still accepts usernames that the address has used before.
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
      setNewest(spent, network, { tokens: Math.max(0, tokensOf(network) - 1), at: now() }, MAX_REMEMBERED)
    },
    right: (address, username) => setNewest(known, `${networkOf(address)} ${username}`, true, MAX_REMEMBERED),
  }
}
