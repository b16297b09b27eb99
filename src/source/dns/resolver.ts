import { openHostsFile } from './hosts-file.ts'
import { type DnsAnswer, queryDns } from './query.ts'
import { candidatesFor, readSearchList } from './search-list.ts'
import { openTurns } from './turns.ts'

/** Who asks for a name, and for how long. */
export interface ResolveContext {
  readonly signal: AbortSignal
  /** The account that it is done for: look-ups are counted by it. */
  readonly owner?: string
}

/** Turns a host name into IP addresses; rejects when there are none. */
export type Resolve = (hostname: string, context: ResolveContext) => Promise<readonly string[]>

export interface ResolverSettings {
  /** `address:port` of name servers; those of this machine unless told. */
  readonly servers?: readonly string[]
  readonly hostsFile?: string
  readonly resolvConf?: string
  /** ms for one look-up with all its questions. */
  readonly timeLimitMs?: number
  /** Names that are remembered. */
  readonly mostCached?: number
  /** Look-ups that one owner may have under way. */
  readonly mostPerOwner?: number
}

const TIME_LIMIT_MS = 6_000
const MOST_CACHED = 1_000
const MOST_PER_OWNER = 16
/** seconds; however long an answer says that it holds, it is asked for again after this. */
const LONGEST_TTL = 300

/** A look-up took longer than it may; the code is c-ares' own for a server that is silent. */
const timeout = (): Error => Object.assign(new Error('DNS did not answer in time'), { code: 'ETIMEOUT' })

/** Names that are never asked for (RFC 6761, sections 6.3 and 6.4), and their addresses. */
const reserved = (name: string): readonly string[] | undefined => {
  if (/(?:^|\.)localhost$/.test(name)) return ['127.0.0.1', '::1']
  return /(?:^|\.)invalid$/.test(name) ? [] : undefined
}

interface Remembered {
  readonly addresses: readonly string[]
  readonly until: number
}

const openCache = (most: number) => {
  const entries = new Map<string, Remembered>()
  return {
    get: (name: string): readonly string[] | undefined => {
      const found = entries.get(name)
      if (found !== undefined && found.until > performance.now()) return found.addresses
      entries.delete(name)
      return undefined
    },
    set: (name: string, { addresses, ttl }: DnsAnswer): void => {
      const [oldest] = entries.keys()
      if (entries.size >= most && oldest !== undefined) entries.delete(oldest)
      if (ttl > 0) entries.set(name, { addresses, until: performance.now() + Math.min(ttl, LONGEST_TTL) * 1000 })
    },
  }
}

/** The first candidate that has an address; the error of the last one otherwise. */
const queryFirst = async (names: readonly string[], ask: (name: string) => Promise<DnsAnswer>): Promise<DnsAnswer> => {
  const [name = '', ...others] = names
  try {
    return await ask(name)
  } catch (error) {
    if (others.length === 0) throw error
    return queryFirst(others, ask)
  }
}

/**
 * Opens a resolver: hosts file, then DNS with the search list of this machine. A look-up has a time limit, ends with its
 * signal, and holds no thread; answers are remembered for their TTL; an owner has a bounded number under way, so that
 * names that never answer hold up nobody else. Rejects with ETIMEOUT when the time is up, with another error when there
 * is no address, or with the signal's reason.
 */
export const openResolver = (settings: ResolverSettings = {}): Resolve => {
  const hosts = openHostsFile(settings.hostsFile)
  const turns = openTurns(settings.mostPerOwner ?? MOST_PER_OWNER)
  const cache = openCache(settings.mostCached ?? MOST_CACHED)
  const { servers } = settings

  const query = async (name: string, signal: AbortSignal): Promise<DnsAnswer> => {
    const limit = AbortSignal.timeout(settings.timeLimitMs ?? TIME_LIMIT_MS)
    const both = AbortSignal.any([signal, limit])
    const ask = (hostname: string) =>
      queryDns({ hostname, signal: both, ...(servers === undefined ? {} : { servers }) })
    try {
      return await queryFirst(candidatesFor(name, await readSearchList(settings.resolvConf)), ask)
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
    const giveBack = await turns.take(owner, signal)
    try {
      const known = cache.get(name)
      if (known !== undefined) return known
      const answer = await query(name, signal)
      cache.set(name, answer)
      return answer.addresses
    } finally {
      giveBack()
    }
  }
}
