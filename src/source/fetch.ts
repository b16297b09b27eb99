import { Agent, type Dispatcher, request } from 'undici'
import { deadlineIn } from '../core/deadline.ts'
import { fail } from '../core/failure.ts'
import { type Cacheability, cacheabilityOf, type SourceHeaders } from './cacheability.ts'
import { type Credentials, credentialsOf, keptFor, withoutUserInfo } from './credentials.ts'
import { ACCEPT_ENCODING, codingsOf, decodeContent } from './decode-content.ts'
import type { Cidr } from './guard.ts'
import { originFailure, statusFailure } from './origin-failure.ts'
import { lookupAmong, type Resolve, resolveBySystem, resolvePublic } from './resolve.ts'
import { type Spooled, type SpoolFile, spool } from './spool.ts'

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
  /** How host names are resolved; the system's way unless told. */
  readonly resolve?: Resolve
}

/** In milliseconds. */
export interface FetchTimeouts {
  /** Everything: names, redirects, the body (§5.1 leaves 25 s to the whole response). */
  readonly totalMs: number
  readonly connectMs: number
  readonly headersMs: number
  /** Between two pieces of the body. */
  readonly bodyIdleMs: number
}

export const FETCH_TIMEOUTS: FetchTimeouts = {
  totalMs: 20_000,
  connectMs: 8_000,
  headersMs: 15_000,
  bodyIdleMs: 10_000,
}

/** Sent with every fetch, so that the service can refuse what is a request of its own or of another like it. */
export const HOP_HEADER = 'x-whittle-hop'

const MOST_REDIRECTS = 5
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])
const NO_RANGES: readonly Cidr[] = []

/** One address of the chain, and the password that may be sent to it. */
interface Hop {
  readonly url: URL
  readonly credentials: Credentials | undefined
}

interface Fetch {
  readonly options: FetchOptions
  readonly timeouts: FetchTimeouts
  readonly signal: AbortSignal
}

const headersFor = (hop: Hop, userAgent: string): Record<string, string> => ({
  'user-agent': userAgent,
  accept: 'image/*,*/*;q=0.8',
  'accept-encoding': ACCEPT_ENCODING,
  [HOP_HEADER]: '1',
  ...(hop.credentials === undefined ? {} : { authorization: hop.credentials.authorization }),
})

/** Connections are made to the addresses given and to no other, once, and are not kept: the next fetch checks anew. */
const agentFor = (addresses: readonly string[], timeouts: FetchTimeouts): Agent =>
  new Agent({
    connect: { lookup: lookupAmong(addresses), timeout: timeouts.connectMs },
    headersTimeout: timeouts.headersMs,
    bodyTimeout: timeouts.bodyIdleMs,
    pipelining: 0,
    allowH2: false,
    maxHeaderSize: 32_768,
  })

/** Node gives header bytes as Latin-1; a raw address in UTF-8 is put right before it is parsed. */
const asUtf8 = (location: string): string => {
  const text = Buffer.from(location, 'latin1').toString('utf8')
  return text.includes('\ufffd') ? location : text
}

const first = (value: string | readonly string[] | undefined): string | undefined =>
  typeof value === 'object' ? value[0] : value

const nextHop = (hop: Hop, location: string | undefined): Hop => {
  if (location === undefined) throw fail('ORIGIN_FAILED', 'it redirects without saying where to')
  const url = URL.parse(asUtf8(location), withoutUserInfo(hop.url))
  if (url === null) throw fail('ORIGIN_FAILED', 'it redirects to an address that cannot be read')
  if (!isHttp(url)) throw fail('ORIGIN_FAILED', 'it redirects to an address that is neither http nor https')
  return { url, credentials: credentialsOf(url) ?? keptFor(url, hop.credentials) }
}

const isHttp = (url: URL): boolean => url.protocol === 'http:' || url.protocol === 'https:'

const refuseHeavy = (headers: SourceHeaders, maxBytes: number): void => {
  const plain = codingsOf(first(headers['content-encoding']) ?? '').length === 0
  if (plain && Number(first(headers['content-length'])) > maxBytes) throw fail('SOURCE_TOO_HEAVY', maxBytes)
}

/** Errors of the origin become failures here; those of the spool file, which are ours, pass `pour` untouched. */
async function* bodyOf(response: Dispatcher.ResponseData, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  const codings = codingsOf(first(response.headers['content-encoding']) ?? '')
  try {
    yield* decodeContent(response.body, codings)
  } catch (error) {
    throw originFailure(error, signal)
  }
}

const pour = async (chunks: AsyncIterable<Uint8Array>, file: SpoolFile): Promise<void> => {
  for await (const chunk of chunks) await file.add(chunk)
}

const orOriginFailure = <Result>(asked: Promise<Result>, signal: AbortSignal): Promise<Result> =>
  asked.catch((error: unknown) => {
    throw originFailure(error, signal)
  })

/** Lends the response of one hop, over connections that end with it. */
const lendResponse = async <Result>(
  fetch: Fetch,
  hop: Hop,
  use: (response: Dispatcher.ResponseData) => Promise<Result>,
): Promise<Result> => {
  const { options, timeouts, signal } = fetch
  const guard = { allowed: options.allowPrivate ?? NO_RANGES, resolve: options.resolve ?? resolveBySystem }
  const addresses = await orOriginFailure(resolvePublic(hop.url.hostname, guard, signal), signal)
  const agent = agentFor(addresses, timeouts)
  try {
    const headers = headersFor(hop, options.userAgent ?? 'Whittle')
    const asked = request(withoutUserInfo(hop.url), { dispatcher: agent, headers, signal })
    const response = await orOriginFailure(asked, signal)
    // Bodies of redirects and errors are thrown away unread: that they break off then is no news.
    response.body.on('error', () => undefined)
    return await use(response)
  } finally {
    await agent.destroy().catch(() => undefined)
  }
}

interface Fetched {
  readonly cacheability: Cacheability
  readonly finalUrl: string
}

const receive = async (
  fetch: Fetch,
  hop: Hop,
  response: Dispatcher.ResponseData,
  file: SpoolFile,
): Promise<Fetched> => {
  const failed = statusFailure(response.statusCode)
  if (failed !== undefined) throw failed
  refuseHeavy(response.headers, fetch.options.maxBytes)
  await pour(bodyOf(response, fetch.signal), file)
  return {
    cacheability: cacheabilityOf(response.headers, Date.now(), hop.credentials !== undefined),
    finalUrl: withoutUserInfo(hop.url).href,
  }
}

const follow = async (fetch: Fetch, start: Hop, file: SpoolFile): Promise<Fetched> => {
  let hop = start
  for (let redirects = 0; redirects <= MOST_REDIRECTS; redirects++) {
    const here = hop
    const step = await lendResponse(fetch, here, async (response) =>
      REDIRECTS.has(response.statusCode)
        ? nextHop(here, first(response.headers['location']))
        : receive(fetch, here, response, file),
    )
    if ('finalUrl' in step) return step
    hop = step
  }
  throw fail('ORIGIN_FAILED', `it redirects more than ${MOST_REDIRECTS} times`)
}

/**
 * Fetches an image into a spool file: http and https, at most 5 redirects, each hop guarded anew (§6), within the limits
 * of time and size. Fails with SOURCE_UNREACHABLE, SOURCE_NOT_FOUND, SOURCE_TOO_HEAVY, ORIGIN_FORBIDS, ORIGIN_FAILED or
 * ORIGIN_TOO_SLOW, or with the reason of the deadline's signal when that is not a timeout. No file is left then.
 */
export const fetchSource = async (address: URL | string, options: FetchOptions): Promise<Spooled> => {
  const url = URL.parse(String(address))
  if (url === null || !isHttp(url)) throw fail('IMAGE_URL_BROKEN', String(address))
  const timeouts = { ...FETCH_TIMEOUTS, ...options.timeouts }
  const fetch: Fetch = { options, timeouts, signal: deadlineIn(timeouts.totalMs, options.signal).signal }
  return spool(options, (file) => follow(fetch, { url, credentials: credentialsOf(url) }, file))
}
