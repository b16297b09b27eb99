import { isIP, type LookupFunction } from 'node:net'
import { Failure, fail } from '../core/failure.ts'
import type { Resolve } from './dns/resolver.ts'
import { type Cidr, isPublicAddress, ownAddresses } from './guard.ts'

const withoutBrackets = (hostname: string): string => hostname.replace(/^\[(.*)\]$/, '$1')

const rejectOnAbort = (signal: AbortSignal): { readonly promise: Promise<never>; readonly stop: () => void } => {
  const { promise, reject } = Promise.withResolvers<never>()
  const listener = () => reject(signal.reason)
  // The signal may fire when nothing awaits the promise (an IP literal needs no look-up). An unhandled rejection would end the process.
  promise.catch(() => undefined)
  if (signal.aborted) listener()
  signal.addEventListener('abort', listener, { once: true })
  return { promise, stop: () => signal.removeEventListener('abort', listener) }
}

/** Rules and resolver for a host name. */
export interface Guard {
  readonly allowed: readonly Cidr[]
  readonly resolve: Resolve
  /** The account that look-ups are counted for. */
  readonly owner?: string
}

/** Error codes for a name without an address. Other codes are errors of the name server. */
const NO_ADDRESS: ReadonlySet<unknown> = new Set(['ENOTFOUND', 'ENODATA', 'EBADNAME'])

/** Returns an empty list for a name without an address. Fails with ORIGIN_TOO_SLOW for silent name servers, with ORIGIN_FAILED for failing ones, or with the signal's reason. */
const emptyAfter = (error: unknown): readonly string[] => {
  const { code } = (error ?? {}) as { readonly code?: unknown }
  if (code === 'ETIMEOUT') throw fail('ORIGIN_TOO_SLOW')
  if (NO_ADDRESS.has(code)) return []
  if (typeof code !== 'string') throw error
  throw new Failure(
    { code: 'ORIGIN_FAILED', args: ['its host name could not be looked up, the name server failed'] },
    error,
  )
}

/**
 * The addresses of a URL's host that may be connected to. The caller must connect to exactly these, since a hostile name server may
 * return others the second time. IP literals are checked too, and fail with SOURCE_PRIVATE. A name without an address and a name
 * with a private address fail in the same way (§6), so that clients cannot map the network. Fails with SOURCE_UNREACHABLE, with
 * ORIGIN_TOO_SLOW when name servers are silent, with ORIGIN_FAILED when they fail, or with the signal's reason.
 */
export const resolvePublic = async (
  hostname: string,
  guard: Guard,
  signal: AbortSignal,
): Promise<readonly string[]> => {
  signal.throwIfAborted()
  const host = withoutBrackets(hostname)
  const aborted = rejectOnAbort(signal)
  try {
    const { resolve, owner } = guard
    const lookUp = () => resolve(host, { signal, ...(owner === undefined ? {} : { owner }) }).catch(emptyAfter)
    const found = isIP(host) === 0 ? await Promise.race([lookUp(), aborted.promise]) : [host]
    // Queries the system once, since a name may have thousands of addresses.
    const own = ownAddresses()
    const allowed = found.filter((ip) => isPublicAddress(ip, guard.allowed, own))
    if (allowed.length === 0) throw isIP(host) === 0 ? fail('SOURCE_UNREACHABLE') : fail('SOURCE_PRIVATE', host)
    return allowed
  } finally {
    aborted.stop()
  }
}

/** A `lookup` function for sockets that returns only the given, already checked addresses. */
export const lookupAmong = (addresses: readonly string[]): LookupFunction => {
  const entries = addresses.map((address) => ({ address, family: isIP(address) }))
  return (_hostname, options, callback) => {
    const first = entries[0]
    if (options.all) callback(null, entries)
    else if (first !== undefined) callback(null, first.address, first.family)
  }
}
