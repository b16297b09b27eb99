import { isIP, type LookupFunction } from 'node:net'
import { fail } from '../core/failure.ts'
import type { Resolve } from './dns/resolver.ts'
import { type Cidr, isPublicAddress } from './guard.ts'

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
  /** The account that look-ups are counted for. */
  readonly owner?: string
}

/** No address, unless name servers were silent: that is the caller's to be told as slowness. */
const orNone = (error: unknown): readonly string[] => {
  if ((error as { readonly code?: unknown } | null)?.code === 'ETIMEOUT') throw fail('ORIGIN_TOO_SLOW')
  return []
}

/**
 * The addresses of a URL's host that may be connected to. Resolved once: whoever connects must use exactly these, for a
 * hostile name server answers differently the second time. IP literals are checked alike. A name that does not resolve
 * and one that leads inwards fail alike (§6), so that nobody can map the network from outside. Fails with SOURCE_UNREACHABLE,
 * with ORIGIN_TOO_SLOW when name servers are silent, or with the signal's reason.
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
    const { resolve, owner } = guard
    const ask = () => resolve(host, { signal, ...(owner === undefined ? {} : { owner }) }).catch(orNone)
    const found = isIP(host) === 0 ? await Promise.race([ask(), aborted.promise]) : [host]
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
