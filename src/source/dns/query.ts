import { Resolver } from 'node:dns/promises'
import { setTimeout as wait } from 'node:timers/promises'

/** What DNS answered: IPv4 first, and for how many seconds it may be remembered. */
export interface DnsAnswer {
  readonly addresses: readonly string[]
  readonly ttl: number
}

export interface DnsQuery {
  readonly hostname: string
  /** `address:port`; those of this machine unless told. */
  readonly servers?: readonly string[]
  /** Ends the query; its sockets are closed then. */
  readonly signal: AbortSignal
}

/** ms until a server is asked once more, or the next one. */
const ASK_AGAIN_MS = 1_500
const TRIES = 3
/** ms that an answer about IPv6 may be later than the one about IPv4 (RFC 8305, section 3, has 50 for connections of people). */
const WAIT_FOR_IPV6_MS = 300

interface Row {
  readonly address: string
  readonly ttl: number
}

const answerOf = (rows: readonly Row[]): DnsAnswer => ({
  addresses: rows.map(({ address }) => address),
  ttl: Math.min(...rows.map(({ ttl }) => ttl)),
})

const orNone = (asked: Promise<Row[]>): Promise<readonly Row[]> => asked.catch(() => [])

/** Both families; IPv6 is not waited for much longer than IPv4. */
const askBoth = async (resolver: Resolver, hostname: string): Promise<DnsAnswer> => {
  const four = resolver.resolve4(hostname, { ttl: true })
  const six = resolver.resolve6(hostname, { ttl: true })
  const rows4 = await orNone(four)
  const rows6 = await (rows4.length === 0 ? orNone(six) : Promise.race([orNone(six), wait(WAIT_FOR_IPV6_MS, [])]))
  const rows = [...rows4, ...rows6]
  // Without any address the error about IPv4 tells why.
  return rows.length === 0 ? answerOf(await four) : answerOf(rows)
}

/**
 * Asks DNS for the addresses of a complete host name, over sockets of its own that close when it ends: libuv's threads, which
 * `dns.lookup` keeps busy for as long as a server is silent, are left to others. Rejects with the error of c-ares
 * (ENOTFOUND, ENODATA, ETIMEOUT …), or with the reason of the signal.
 */
export const queryDns = async ({ hostname, servers, signal }: DnsQuery): Promise<DnsAnswer> => {
  signal.throwIfAborted()
  const resolver = new Resolver({ timeout: ASK_AGAIN_MS, tries: TRIES })
  if (servers !== undefined) resolver.setServers(servers)
  const cancel = (): void => resolver.cancel()
  signal.addEventListener('abort', cancel, { once: true })
  try {
    return await askBoth(resolver, hostname)
  } catch (error) {
    signal.throwIfAborted()
    throw error
  } finally {
    signal.removeEventListener('abort', cancel)
    resolver.cancel()
  }
}
