import { type Failure, fail } from '../core/failure.ts'
import type { Answer, ImageAnswer, RedirectAnswer } from '../jobs/answer.ts'
import type { ByteRange } from '../ports/results.ts'
import { type Exchange, rootOf } from './exchange.ts'
import { CORS, namesMediaType, reasonPhrase, SAFE_CONTENT, serverTiming, warningValues } from './headers.ts'
import { failurePage, pageHeaders } from './pages.ts'
import { matchesIfRange, readRange } from './ranges.ts'
import { type Body, sendBody } from './send-body.ts'

type Headers = Record<string, string | string[] | number>

const warningHeader = (warnings: readonly string[]): Headers =>
  warnings.length === 0 ? {} : { Warning: warningValues(warnings) }

const timing = (stages: Answer['stages']): Headers =>
  Object.keys(stages).length === 0 ? {} : { 'Server-Timing': serverTiming(stages) }

/** Media types for which an error is JSON: that of the ImageOptim API, and the general one (§6). */
const JSON_ERRORS = ['application/im2+json', 'application/json'] as const

const rendered = (failure: Failure, { accept, base }: Exchange): { readonly type: Headers; readonly body: string } => {
  const { status, message } = failure
  const { code } = failure.row
  const json = JSON_ERRORS.find((type) => namesMediaType(accept, type))
  if (json !== undefined) {
    return {
      type: { 'Content-Type': json, 'Cache-Control': 'no-store' },
      body: JSON.stringify({ status, error: message, ...(code === undefined ? {} : { code }) }),
    }
  }
  if (namesMediaType(accept, 'text/html'))
    return { type: pageHeaders(), body: failurePage(rootOf({ base }), status, message) }
  return { type: { 'Content-Type': 'text/plain; charset=utf-8', 'Cache-Control': 'no-store' }, body: `${message}\n` }
}

/** A text response without the common headers. */
interface TextAnswer {
  readonly status: number
  readonly headers: Headers
  readonly body: string
}

/** Sends a text with the common headers. */
export const sendText = ({ response, id, method, traffic }: Exchange, { status, headers, body }: TextAnswer): void => {
  response.writeHead(status, { ...CORS, 'X-Request-Id': id, 'Content-Length': Buffer.byteLength(body), ...headers })
  if (method === 'HEAD') {
    response.end()
    return
  }
  traffic.sent += Buffer.byteLength(body)
  response.end(body)
}

/** Headers of one kind of failure. */
const ownHeaders = ({ code, args }: Failure): Headers => {
  if (code === 'METHOD_NOT_ALLOWED') return { Allow: args.join(', ') }
  // Basic would make browsers show a password dialogue.
  if (code === 'ACCESS_KEY_MISSING' || code === 'ACCESS_KEY_WRONG')
    return { 'WWW-Authenticate': 'Bearer realm="whittle"' }
  return code === 'RANGE_OUTSIDE' ? { 'Content-Range': `bytes */${args[0]}` } : {}
}

/** Sends a failure as plain text, JSON or a page, by Accept (§6). Only this function converts failures to HTTP. */
export const sendFailure = (exchange: Exchange, failure: Failure): void => {
  const { type, body } = rendered(failure, exchange)
  const { retryAfter } = failure
  const retry = retryAfter === undefined ? {} : { 'Retry-After': retryAfter }
  exchange.response.statusMessage = reasonPhrase(failure.message)
  const headers = { 'X-Content-Type-Options': 'nosniff', ...retry, ...ownHeaders(failure), ...type }
  sendText(exchange, { status: failure.status, headers, body })
}

/** Whether an If-None-Match header names an entity tag. */
export const matches = (ifNoneMatch: string | undefined, etag: string): boolean =>
  ifNoneMatch !== undefined &&
  (ifNoneMatch.trim() === '*' || ifNoneMatch.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag))

const imageHeaders = (answer: ImageAnswer): Headers => ({
  ...warningHeader(answer.warnings),
  ...timing(answer.stages),
  ...(answer.cacheControl === undefined ? {} : { 'Cache-Control': answer.cacheControl }),
  ...(answer.variesByAccept ? { Vary: 'Accept' } : {}),
  ETag: answer.etag,
})

const numberOf = (text: string | undefined): number | undefined => (text === undefined ? undefined : Number(text))

/** Records the returned image for the log. */
const recordImage = ({ image }: Exchange, { contentType, facts, stored }: ImageAnswer): void => {
  const logged = {
    format: contentType.replace(/^.*\//, ''),
    sourceBytes: numberOf(facts['x-source-bytes']),
    cached: stored === true,
    score: numberOf(facts['x-score']),
    butteraugli: numberOf(facts['x-butteraugli']),
  }
  Object.assign(image, Object.fromEntries(Object.entries(logged).filter(([, value]) => value !== undefined)))
}

const upperCase = (name: string): string => name.replace(/(^|-)[a-z]/g, (letter) => letter.toUpperCase())

/** The requested part of an image, or undefined for all of it. Fails with RANGE_OUTSIDE. Only GET has ranges (RFC 9110, section 14.2). */
const rangeFor = ({ request, method }: Exchange, { bytes, etag }: ImageAnswer): ByteRange | undefined => {
  if (method !== 'GET' || !matchesIfRange(request.headers['if-range']?.toString(), etag)) return undefined
  const requested = readRange(request.headers.range, bytes)
  if (requested.kind === 'none') throw fail('RANGE_OUTSIDE', bytes)
  return requested.kind === 'part' ? requested : undefined
}

const bodyOf = async ({ body }: ImageAnswer, range: ByteRange | undefined): Promise<Body> => {
  if (typeof body === 'function') return body(range)
  return range === undefined ? body : body.subarray(range.first, range.last + 1)
}

const sendImage = async (exchange: Exchange, answer: ImageAnswer): Promise<void> => {
  const { request, response, id, method } = exchange
  recordImage(exchange, answer)
  const common = { ...CORS, 'X-Request-Id': id, ...imageHeaders(answer) }
  if (method !== 'POST' && matches(request.headers['if-none-match'], answer.etag)) {
    response.writeHead(304, common).end()
    return
  }
  const range = rangeFor(exchange, answer)
  // Opens the body before the headers are sent, so that a removed result becomes an error instead of a truncated image.
  const body = await bodyOf(answer, range)
  response.writeHead(range === undefined ? 200 : 206, {
    ...common,
    ...SAFE_CONTENT,
    ...Object.fromEntries(Object.entries(answer.facts).map(([name, value]) => [upperCase(name), value])),
    ...(method === 'POST' ? {} : { 'Accept-Ranges': 'bytes' }),
    ...(range === undefined ? {} : { 'Content-Range': `bytes ${range.first}-${range.last}/${answer.bytes}` }),
    'Content-Type': answer.contentType,
    'Content-Length': range === undefined ? answer.bytes : range.last - range.first + 1,
  })
  if (method !== 'HEAD') return await sendBody(exchange, body)
  response.end()
  if ('destroy' in body && typeof body.destroy === 'function') body.destroy()
}

const locationOf = ({ to }: RedirectAnswer, base: string): string => {
  if (to.kind === 'source') return to.url
  return to.kind === 'result' ? `${base}/-/results/${to.token}` : `${base}${to.path}`
}

/** Sends an image with 200, 206 or 304, or a redirect with 303 (§5.1). Fails with RANGE_OUTSIDE. */
export const sendAnswer = async (exchange: Exchange, answer: Answer): Promise<void> => {
  if (answer.kind === 'image') return sendImage(exchange, answer)
  const { warnings, stages } = answer
  const location = locationOf(answer, exchange.base)
  const headers = {
    Location: location,
    'Cache-Control': 'no-store',
    'Content-Type': 'text/plain; charset=utf-8',
    ...warningHeader(warnings),
    ...timing(stages),
  }
  sendText(exchange, { status: 303, headers, body: `The image is at ${location}\n` })
}
