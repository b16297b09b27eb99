import { Resolver } from 'node:dns/promises'
import { setTimeout as wait } from 'node:timers/promises'

/** An answer of DNS: IPv4 addresses first, and its lifetime in seconds. */
export interface DnsAnswer {
  readonly addresses: readonly string[]
  readonly ttl: number
}

/** One query for the addresses of a host name. */
export interface DnsQuery {
  readonly hostname: string
  /** `address:port` of name servers. Default: those of this machine. */
  readonly servers?: readonly string[]
  /** Ends the query and closes its sockets. */
  readonly signal: AbortSignal
}

/** Retries of a query. Chosen, not measured. */
const RETRY = {
  /** ms until the query goes to the same server again, or to the next one. */
  afterMs: 1_500,
  /** Queries to each server. */
  times: 3,
} as const
/** ms to wait for IPv6 after the IPv4 answer. RFC 8305, section 3, uses 50 for interactive connections. */
const WAIT_FOR_IPV6_MS = 300

interface Row {
  readonly address: string
  readonly ttl: number
}

const answerOf = (rows: readonly Row[]): DnsAnswer => ({
  addresses: rows.map(({ address }) => address),
  ttl: Math.min(...rows.map(({ ttl }) => ttl)),
})

const orEmpty = (rows: Promise<Row[]>): Promise<readonly Row[]> => rows.catch(() => [])

/** Queries both address families. Waits only briefly for IPv6 after the IPv4 answer. */
const queryBoth = async (resolver: Resolver, hostname: string): Promise<DnsAnswer> => {
  const four = resolver.resolve4(hostname, { ttl: true })
  const six = resolver.resolve6(hostname, { ttl: true })
  const rows4 = await orEmpty(four)
  const rows6 = await (rows4.length === 0 ? orEmpty(six) : Promise.race([orEmpty(six), wait(WAIT_FOR_IPV6_MS, [])]))
  const rows = [...rows4, ...rows6]
  // Without any address, the error of the IPv4 query is thrown.
  return rows.length === 0 ? answerOf(await four) : answerOf(rows)
}

/**
 * Queries DNS for the addresses of a complete host name. Each query has its own sockets, which close when it ends. `dns.lookup` would
 * keep one of libuv's threads busy for as long as a server is silent. Rejects with the error of c-ares (ENOTFOUND, ENODATA,
 * ETIMEOUT …), or with the signal's reason.
 */
export const queryDns = async ({ hostname, servers, signal }: DnsQuery): Promise<DnsAnswer> => {
  signal.throwIfAborted()
  const resolver = new Resolver({ timeout: RETRY.afterMs, tries: RETRY.times })
  if (servers !== undefined) resolver.setServers(servers)
  const cancel = (): void => resolver.cancel()
  signal.addEventListener('abort', cancel, { once: true })
  try {
    return await queryBoth(resolver, hostname)
  } catch (error) {
    signal.throwIfAborted()
    throw error
  } finally {
    signal.removeEventListener('abort', cancel)
    resolver.cancel()
  }
}
