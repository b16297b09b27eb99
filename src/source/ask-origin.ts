import { Agent, type Dispatcher, request } from 'undici'
import { conditionsOf, type Validators } from './cacheability.ts'
import { type Credentials, withoutUserInfo } from './credentials.ts'
import { ACCEPT_ENCODING } from './decode-content.ts'
import { openResolver, type Resolve } from './dns/resolver.ts'
import type { Cidr } from './guard.ts'
import { originFailure } from './origin-failure.ts'
import { lookupAmong, resolvePublic } from './resolve.ts'

export interface FetchOptions {
  readonly spoolDirectory: string
  /** Most bytes of the image, after content decoding. */
  readonly maxBytes: number
  /** Ends the fetch before its own time is up: the request's deadline, or the client having gone. */
  readonly signal?: AbortSignal
  /** Ranges that are fetched from although they are not public: ALLOW_PRIVATE_SOURCES. */
  readonly allowPrivate?: readonly Cidr[]
  readonly userAgent?: string
  readonly timeouts?: Partial<FetchTimeouts>
  /** How host names are resolved; one resolver for the whole process unless told. */
  readonly resolve?: Resolve
  /** The account that it is fetched for. */
  readonly owner?: string
  /** Whether an address may be asked, redirects included; any that is guarded well unless given. */
  readonly mayAsk?: (url: URL) => boolean
  /** What is known of the source already: its server is asked whether it has changed. */
  readonly known?: Validators
}

/** In milliseconds. */
export interface FetchTimeouts {
  /** Everything: names, redirects, the body (§5.1 leaves 25 s to the whole response). */
  readonly totalMs: number
  readonly connectMs: number
  /** Between two pieces of the body. */
  readonly bodyIdleMs: number
}

export const FETCH_TIMEOUTS: FetchTimeouts = {
  totalMs: 20_000,
  connectMs: 8_000,
  bodyIdleMs: 10_000,
}

/** Sent with every fetch, so that the service can refuse what is a request of its own or of another like it. */
export const HOP_HEADER = 'x-whittle-hop'

const NO_RANGES: readonly Cidr[] = []

/** Names are remembered, and look-ups counted, for all fetches together. */
const resolveByDns = openResolver()

/** One address of the chain, and the password that may be sent to it. */
export interface Hop {
  readonly url: URL
  readonly credentials: Credentials | undefined
}

/** One fetch with all its hops, and the signal that ends it. */
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

/** Connections are made to the addresses given and to no other, once, and are not kept: the next fetch checks anew. */
const agentFor = (addresses: readonly string[], timeouts: FetchTimeouts): Agent =>
  new Agent({
    connect: { lookup: lookupAmong(addresses), timeout: timeouts.connectMs },
    headersTimeout: 0, // the whole fetch has a time limit already, and FETCH_TIMEOUT is what people set
    bodyTimeout: timeouts.bodyIdleMs,
    pipelining: 0,
    allowH2: false,
    maxHeaderSize: 32_768,
  })

const orOriginFailure = <Result>(asked: Promise<Result>, signal: AbortSignal): Promise<Result> =>
  asked.catch((error: unknown) => {
    throw originFailure(error, signal)
  })

/** Lends the response of one hop, over connections that end with it. */
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
    const asked = request(withoutUserInfo(hop.url), { dispatcher: agent, headers, signal })
    const response = await orOriginFailure(asked, signal)
    // Bodies of redirects and errors are thrown away unread: that they break off then is no news.
    response.body.on('error', () => undefined)
    return await use(response)
  } finally {
    await agent.destroy().catch(() => undefined)
  }
}
