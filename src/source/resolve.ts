import { lookup as systemLookup } from 'node:dns/promises'
import { isIP, type LookupFunction } from 'node:net'
import { fail } from '../core/failure.ts'
import { type Cidr, isPublicAddress } from './guard.ts'

/** Turns a host name into IP addresses; rejects when there are none. */
export type Resolve = (hostname: string) => Promise<readonly string[]>

/** The addresses that this machine knows a host by: its hosts file and DNS, in the system's order. */
export const resolveBySystem: Resolve = async (hostname) =>
  (await systemLookup(hostname, { all: true, verbatim: true })).map(({ address }) => address)

const withoutBrackets = (hostname: string): string => hostname.replace(/^\[(.*)\]$/, '$1')

const abortion = (signal: AbortSignal): { readonly promise: Promise<never>; readonly stop: () => void } => {
  const { promise, reject } = Promise.withResolvers<never>()
  const listener = () => reject(signal.reason)
  // It may end when nobody waits for it: an IP literal needs no look-up. Unhandled, that would end the process.
  promise.catch(() => undefined)
  if (signal.aborted) listener()
  signal.addEventListener('abort', listener, { once: true })
  return { promise, stop: () => signal.removeEventListener('abort', listener) }
}

/** What a host name is checked against, and looked up with. */
export interface Guard {
  readonly allowed: readonly Cidr[]
  readonly resolve: Resolve
}

/**
 * The addresses of a URL's host that may be connected to. Resolved once: whoever connects must use exactly these, for a
 * hostile name server answers differently the second time. IP literals are checked alike. A name that does not resolve
 * and one that leads inwards fail alike (§6), so that nobody can map the network from outside.
 */
export const resolvePublic = async (
  hostname: string,
  guard: Guard,
  signal: AbortSignal,
): Promise<readonly string[]> => {
  signal.throwIfAborted()
  const host = withoutBrackets(hostname)
  const aborted = abortion(signal)
  try {
    const found = isIP(host) === 0 ? await Promise.race([guard.resolve(host).catch(() => []), aborted.promise]) : [host]
    const open = found.filter((ip) => isPublicAddress(ip, guard.allowed))
    if (open.length === 0) throw fail('SOURCE_UNREACHABLE')
    return open
  } finally {
    aborted.stop()
  }
}

/** A `lookup` for sockets that knows nothing but the addresses already checked. */
export const lookupAmong = (addresses: readonly string[]): LookupFunction => {
  const entries = addresses.map((address) => ({ address, family: isIP(address) }))
  return (_hostname, options, callback) => {
    const first = entries[0]
    if (options.all) callback(null, entries)
    else if (first !== undefined) callback(null, first.address, first.family)
  }
}
