import { Agent, type Dispatcher, request } from 'undici'
import { conditionsOf, type Validators } from './cacheability.ts'
import { type Credentials, withoutUserInfo } from './credentials.ts'
import { ACCEPT_ENCODING } from './decode-content.ts'
import { openResolver, type Resolve } from './dns/resolver.ts'
import type { Cidr } from './guard.ts'
import { HOP_HEADER } from './hop-header.ts'
import { originFailure } from './origin-failure.ts'
import { lookupAmong, resolvePublic } from './resolve.ts'

/** Options of one fetch. */
export interface FetchOptions {
  readonly spoolDirectory: string
  /** Maximum bytes of the image, after content decoding. */
  readonly maxBytes: number
  /** Ends the fetch early: the request's deadline passed, or the client disconnected. */
  readonly signal?: AbortSignal
  /** Private address ranges that may be fetched from: ALLOW_PRIVATE_SOURCES. */
  readonly allowPrivate?: readonly Cidr[]
  readonly userAgent?: string
  readonly timeouts?: Partial<FetchTimeouts>
  /** Resolves host names. Default: one resolver for the whole process. */
  readonly resolve?: Resolve
  /** The account that the fetch is counted for. */
  readonly owner?: string
  /** Whether an address may be fetched, called for the first address and each redirect. By default every public address may. */
  readonly mayFetch?: (url: URL) => boolean
  /** Validators of a stored copy. They make the request conditional. */
  readonly known?: Validators
}

/** Time limits in milliseconds. */
export interface FetchTimeouts {
  /** The whole fetch: name resolution, redirects and body (§5.1 leaves 25 s for the whole response). */
  readonly totalMs: number
  /** One TCP or TLS connection. */
  readonly connectMs: number
  /** Silence between two chunks of the body. */
  readonly bodyIdleMs: number
}

/** Default time limits. The total is the default of FETCH_TIMEOUT; the others are chosen, not measured. */
export const FETCH_TIMEOUTS: FetchTimeouts = {
  totalMs: 20_000,
  connectMs: 8_000,
  bodyIdleMs: 10_000,
}

const NO_RANGES: readonly Cidr[] = []

/** One resolver for all fetches, so that its cache and its limits per account apply to the whole process. */
const resolveByDns = openResolver()

/** One address of a redirect chain, with the credentials that may be sent to it. */
export interface Hop {
  readonly url: URL
  readonly credentials: Credentials | undefined
}

/** One fetch with all its hops. `signal` aborts it. */
export interface Fetch {
  readonly options: FetchOptions
  readonly timeouts: FetchTimeouts
  readonly signal: AbortSignal
}

const headersFor = (hop: Hop, { userAgent = 'Whittle', known = {} }: FetchOptions): Record<string, string> => ({
  'user-agent': userAgent,
  accept: 'image/*,*/*;q=0.8',
  'accept-encoding': ACCEPT_ENCODING,
  [HOP_HEADER]: '1',
  ...conditionsOf(known),
  ...(hop.credentials === undefined ? {} : { authorization: hop.credentials.authorization }),
})

/** An agent that connects to the given addresses only, and keeps no connection: the next fetch checks its addresses again. */
const agentFor = (addresses: readonly string[], timeouts: FetchTimeouts): Agent =>
  new Agent({
    connect: { lookup: lookupAmong(addresses), timeout: timeouts.connectMs },
    headersTimeout: 0, // the fetch has a total time limit (FETCH_TIMEOUT)
    bodyTimeout: timeouts.bodyIdleMs,
    pipelining: 0,
    allowH2: false,
    maxHeaderSize: 32_768,
  })

const orOriginFailure = <Result>(pending: Promise<Result>, signal: AbortSignal): Promise<Result> =>
  pending.catch((error: unknown) => {
    throw originFailure(error, signal)
  })

/** Requests one hop and passes its response to `use`. Closes the connection when `use` settles. Fails with the failure of the origin, or with the signal's reason. */
export const lendResponse = async <Result>(
  fetch: Fetch,
  hop: Hop,
  use: (response: Dispatcher.ResponseData) => Promise<Result>,
): Promise<Result> => {
  const { options, timeouts, signal } = fetch
  const { allowPrivate: allowed = NO_RANGES, resolve = resolveByDns, owner } = options
  const guard = { allowed, resolve, ...(owner === undefined ? {} : { owner }) }
  const addresses = await orOriginFailure(resolvePublic(hop.url.hostname, guard, signal), signal)
  const agent = agentFor(addresses, timeouts)
  try {
    const headers = headersFor(hop, options)
    const pending = request(withoutUserInfo(hop.url), { dispatcher: agent, headers, signal })
    const response = await orOriginFailure(pending, signal)
    // Bodies of redirects and errors are not read. Their errors have no effect.
    response.body.on('error', () => undefined)
    return await use(response)
  } finally {
    await agent.destroy().catch(() => undefined)
  }
}
