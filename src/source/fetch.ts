import type { Dispatcher } from 'undici'
import { deadlineIn } from '../core/deadline.ts'
import { fail } from '../core/failure.ts'
import { batchesOf } from './batches.ts'
import { type Cacheability, cacheabilityOf, type SourceHeaders, type Validators, validatorsOf } from './cacheability.ts'
import { credentialsFor, credentialsOf, withoutUserInfo } from './credentials.ts'
import { codingsOf, decodeContent } from './decode-content.ts'
import { originFailure, statusFailure } from './origin-failure.ts'
import { FETCH_TIMEOUTS, type Fetch, type FetchOptions, type Hop, lendResponse } from './request-origin.ts'
import { pour, type Spooled, type SpoolFile, spool } from './spool.ts'

/** Maximum number of redirects. Chosen, not measured. */
const MAX_REDIRECTS = 5
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])

/** Node decodes header bytes as Latin-1. This restores an address in raw UTF-8 before it is parsed. */
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
  return { url, credentials: credentialsOf(url) ?? credentialsFor(url, hop.credentials) }
}

const isHttp = (url: URL): boolean => url.protocol === 'http:' || url.protocol === 'https:'

const refuseHeavy = (headers: SourceHeaders, maxBytes: number): void => {
  const isUncoded = codingsOf(first(headers['content-encoding']) ?? '').length === 0
  if (isUncoded && Number(first(headers['content-length'])) > maxBytes) throw fail('SOURCE_TOO_HEAVY', maxBytes)
}

const BROKEN_ANSWER = {
  inTinyChunks: () => fail('ORIGIN_FAILED', 'its answer comes in too many tiny pieces'),
  cutOff: () => fail('ORIGIN_FAILED', 'the connection broke off'),
}

/** Yields the decoded body. Converts errors of the origin to failures. Errors of the spool file come from `pour` and are not converted. */
async function* bodyOf(
  response: Dispatcher.ResponseData,
  { signal, options: { maxBytes } }: Fetch,
): AsyncGenerator<Uint8Array> {
  const codings = codingsOf(first(response.headers['content-encoding']) ?? '')
  try {
    const received = batchesOf(response.body, signal, BROKEN_ANSWER)
    yield* decodeContent(received, codings, maxBytes)
  } catch (error) {
    throw originFailure(error, signal)
  }
}

interface Fetched {
  readonly cacheability: Cacheability
  readonly validators: Validators
  readonly finalUrl: string
}

/** The source's server responded with 304: the known copy is still valid. */
export class Unchanged extends Error {
  readonly cacheability: Cacheability
  constructor(cacheability: Cacheability) {
    super('the source has not changed')
    this.cacheability = cacheability
  }
}

/** The hop that returns the image. */
interface LastHop {
  readonly hop: Hop
  /** Whether a password was sent to this hop or to an earlier one. */
  readonly withPassword: boolean
}

const receive = async (
  fetch: Fetch,
  { hop, withPassword }: LastHop,
  response: Dispatcher.ResponseData,
  file: SpoolFile,
): Promise<Fetched> => {
  const cacheability = cacheabilityOf(response.headers, Date.now(), withPassword)
  if (response.statusCode === 304 && fetch.options.known !== undefined) throw new Unchanged(cacheability)
  const failed = statusFailure(response.statusCode)
  if (failed !== undefined) throw failed
  refuseHeavy(response.headers, fetch.options.maxBytes)
  await pour(bodyOf(response, fetch), file)
  return {
    cacheability,
    validators: validatorsOf(response.headers),
    finalUrl: withoutUserInfo(hop.url).href,
  }
}

const follow = async (fetch: Fetch, start: Hop, file: SpoolFile): Promise<Fetched> => {
  let hop = start
  let withPassword = false
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
    const here = hop
    withPassword ||= here.credentials !== undefined
    const last = { hop: here, withPassword }
    if (fetch.options.mayFetch?.(here.url) === false) throw fail('DELIVERY_REDIRECTED', here.url.host)
    const step = await lendResponse(fetch, here, async (response) =>
      REDIRECTS.has(response.statusCode)
        ? nextHop(here, first(response.headers['location']))
        : receive(fetch, last, response, file),
    )
    if ('finalUrl' in step) return step
    hop = step
  }
  throw fail('ORIGIN_FAILED', `it redirects more than ${MAX_REDIRECTS} times`)
}

/**
 * Fetches an image over http or https into a spool file. Follows at most 5 redirects and guards each hop (§6). Fails with
 * SOURCE_UNREACHABLE, SOURCE_NOT_FOUND, SOURCE_TOO_HEAVY, ORIGIN_FORBIDS, ORIGIN_FAILED or ORIGIN_TOO_SLOW. Throws the reason of the
 * deadline's signal when that is not a timeout, and {@link Unchanged} when the known copy is still valid. A failure leaves no file.
 */
export const fetchSource = async (address: URL | string, options: FetchOptions): Promise<Spooled> => {
  const url = URL.parse(String(address))
  if (url === null || !isHttp(url)) throw fail('IMAGE_URL_BROKEN', String(address))
  const timeouts = { ...FETCH_TIMEOUTS, ...options.timeouts }
  const fetch: Fetch = { options, timeouts, signal: deadlineIn(timeouts.totalMs, options.signal).signal }
  return spool(options, (file) => follow(fetch, { url, credentials: credentialsOf(url) }, file))
}
