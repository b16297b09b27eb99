import { openHostsFile } from './hosts-file.ts'
import { openOwnerLimits } from './owner-limits.ts'
import { type DnsAnswer, queryDns } from './query.ts'
import { candidatesFor, readSearchList } from './search-list.ts'

/** Context of one look-up. `signal` aborts it. */
export interface ResolveContext {
  readonly signal: AbortSignal
  /** The account that the look-up is counted for. */
  readonly owner?: string
}

/** Resolves a host name to IP addresses. Rejects when there are none. */
export type Resolve = (hostname: string, context: ResolveContext) => Promise<readonly string[]>

/** Settings of a resolver. */
export interface ResolverSettings {
  /** `address:port` of name servers. Default: those of this machine. */
  readonly servers?: readonly string[]
  readonly hostsFile?: string
  readonly resolvConf?: string
  /** ms for one look-up with all its queries. */
  readonly timeLimitMs?: number
  /** Names in the cache. */
  readonly maxCached?: number
  /** Concurrent look-ups of one owner. */
  readonly maxPerOwner?: number
}

/** Default limits. Chosen, not measured. */
const DEFAULT = {
  /** ms of one look-up. */
  timeLimitMs: 6_000,
  /** Names. */
  maxCached: 1_000,
  /** Look-ups at once. */
  maxPerOwner: 16,
} as const
/** Longest time in seconds to cache an answer, for any TTL. */
const MAX_TTL_S = 300

/** The error of a look-up that exceeded its time limit. It has the code that c-ares uses for a silent server. */
const timeout = (): Error => Object.assign(new Error('DNS did not answer in time'), { code: 'ETIMEOUT' })

/** Fixed addresses of names that must not be looked up in DNS (RFC 6761, sections 6.3 and 6.4). */
const reserved = (name: string): readonly string[] | undefined => {
  if (/(?:^|\.)localhost$/.test(name)) return ['127.0.0.1', '::1']
  return /(?:^|\.)invalid$/.test(name) ? [] : undefined
}

interface CachedAnswer {
  readonly addresses: readonly string[]
  readonly until: number
}

const openCache = (maxSize: number) => {
  const entries = new Map<string, CachedAnswer>()
  return {
    get: (name: string): readonly string[] | undefined => {
      const found = entries.get(name)
      if (found !== undefined && found.until > performance.now()) return found.addresses
      entries.delete(name)
      return undefined
    },
    set: (name: string, { addresses, ttl }: DnsAnswer): void => {
      const [oldest] = entries.keys()
      if (entries.size >= maxSize && oldest !== undefined) entries.delete(oldest)
      if (ttl > 0) entries.set(name, { addresses, until: performance.now() + Math.min(ttl, MAX_TTL_S) * 1000 })
    },
  }
}

/** Returns the answer of the first candidate that has an address. Rejects with the error of the last one. */
const queryFirst = async (
  names: readonly string[],
  query: (name: string) => Promise<DnsAnswer>,
): Promise<DnsAnswer> => {
  const [name = '', ...others] = names
  try {
    return await query(name)
  } catch (error) {
    if (others.length === 0) throw error
    return queryFirst(others, query)
  }
}

/**
 * Opens a resolver: the hosts file first, then DNS with this machine's search list. A look-up ends at its time limit or with its
 * signal, and occupies no thread. Answers are cached for their TTL. The number of concurrent look-ups of an owner is limited, so
 * that silent name servers delay no other owner. Rejects with ETIMEOUT at the time limit, with another error when there is no address,
 * or with the signal's reason.
 */
export const openResolver = (settings: ResolverSettings = {}): Resolve => {
  const hosts = openHostsFile(settings.hostsFile)
  const limits = openOwnerLimits(settings.maxPerOwner ?? DEFAULT.maxPerOwner)
  const cache = openCache(settings.maxCached ?? DEFAULT.maxCached)
  const { servers } = settings

  const query = async (name: string, signal: AbortSignal): Promise<DnsAnswer> => {
    const limit = AbortSignal.timeout(settings.timeLimitMs ?? DEFAULT.timeLimitMs)
    const both = AbortSignal.any([signal, limit])
    const queryOne = (hostname: string) =>
      queryDns({ hostname, signal: both, ...(servers === undefined ? {} : { servers }) })
    try {
      return await queryFirst(candidatesFor(name, await readSearchList(settings.resolvConf)), queryOne)
    } catch (error) {
      signal.throwIfAborted()
      throw limit.aborted ? timeout() : error
    }
  }

  return async (hostname, { signal, owner = '' }) => {
    const name = hostname.toLowerCase()
    const bare = name.endsWith('.') ? name.slice(0, -1) : name
    const fixed = (await hosts(bare)) ?? reserved(bare)
    if (fixed !== undefined) return fixed
    const release = await limits.acquire(owner, signal)
    try {
      const known = cache.get(name)
      if (known !== undefined) return known
      const answer = await query(name, signal)
      cache.set(name, answer)
      return answer.addresses
    } finally {
      release()
    }
  }
}
