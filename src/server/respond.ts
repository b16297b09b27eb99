import { type Failure, fail } from '../core/failure.ts'
import type { Answer, ImageAnswer } from '../jobs/answer.ts'
import type { ByteRange } from '../ports/results.ts'
import { type Exchange, rootOf } from './exchange.ts'
import { CORS, names, reasonPhrase, SAFE_CONTENT, serverTiming, warningValues } from './headers.ts'
import { failurePage, pageHeaders } from './pages.ts'
import { isStillThat, readRange } from './ranges.ts'
import { type Body, sendBody } from './send-body.ts'

type Headers = Record<string, string | string[] | number>

const warningHeader = (warnings: readonly string[]): Headers =>
  warnings.length === 0 ? {} : { Warning: warningValues(warnings) }

const timing = (stages: Answer['stages']): Headers =>
  Object.keys(stages).length === 0 ? {} : { 'Server-Timing': serverTiming(stages) }

const JSON_ERRORS = 'application/im2+json'

const rendered = (failure: Failure, { accept, base }: Exchange): { readonly type: Headers; readonly body: string } => {
  const { status, message } = failure
  const { code } = failure.row
  if (names(accept, JSON_ERRORS)) {
    return {
      type: { 'Content-Type': JSON_ERRORS },
      body: JSON.stringify({ status, error: message, ...(code === undefined ? {} : { code }) }),
    }
  }
  if (names(accept, 'text/html')) return { type: pageHeaders(), body: failurePage(rootOf({ base }), status, message) }
  return { type: { 'Content-Type': 'text/plain; charset=utf-8', 'Cache-Control': 'no-store' }, body: `${message}\n` }
}

/** A whole answer but for the headers that everything has. */
interface TextAnswer {
  readonly status: number
  readonly headers: Headers
  readonly body: string
}

/** Sends a text of any kind, with the headers that everything has. */
export const sendText = ({ response, id, method, traffic }: Exchange, { status, headers, body }: TextAnswer): void => {
  response.writeHead(status, { ...CORS, 'X-Request-Id': id, 'Content-Length': Buffer.byteLength(body), ...headers })
  if (method === 'HEAD') {
    response.end()
    return
  }
  traffic.sent += Buffer.byteLength(body)
  response.end(body)
}

/** Headers that belong to one failure alone. */
const ownHeaders = ({ code, args }: Failure): Headers => {
  if (code === 'METHOD_NOT_ALLOWED') return { Allow: args.join(', ') }
  return code === 'RANGE_OUTSIDE' ? { 'Content-Range': `bytes */${args[0]}` } : {}
}

/** The one place where failures become HTTP: plain text, JSON or a page, by Accept (§6). */
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

/** Notes for the log what was answered. */
const noteImage = ({ image }: Exchange, { contentType, facts, stored }: ImageAnswer): void => {
  const told = {
    format: contentType.replace(/^.*\//, ''),
    sourceBytes: numberOf(facts['x-source-bytes']),
    cached: stored === true,
    score: numberOf(facts['x-score']),
    butteraugli: numberOf(facts['x-butteraugli']),
  }
  Object.assign(image, Object.fromEntries(Object.entries(told).filter(([, value]) => value !== undefined)))
}

const upperCase = (name: string): string => name.replace(/(^|-)[a-z]/g, (letter) => letter.toUpperCase())

/** The part of an image that is asked for, or nothing for all of it; fails with RANGE_OUTSIDE (RFC 9110, section 14.2: GET alone has parts). */
const rangeFor = ({ request, method }: Exchange, { bytes, etag }: ImageAnswer): ByteRange | undefined => {
  if (method !== 'GET' || !isStillThat(request.headers['if-range']?.toString(), etag)) return undefined
  const asked = readRange(request.headers.range, bytes)
  if (asked.kind === 'none') throw fail('RANGE_OUTSIDE', bytes)
  return asked.kind === 'part' ? asked : undefined
}

const bodyOf = async ({ body }: ImageAnswer, range: ByteRange | undefined): Promise<Body> => {
  if (typeof body === 'function') return body(range)
  return range === undefined ? body : body.subarray(range.first, range.last + 1)
}

const sendImage = async (exchange: Exchange, answer: ImageAnswer): Promise<void> => {
  const { request, response, id, method } = exchange
  noteImage(exchange, answer)
  const common = { ...CORS, 'X-Request-Id': id, ...imageHeaders(answer) }
  if (method !== 'POST' && matches(request.headers['if-none-match'], answer.etag)) {
    response.writeHead(304, common).end()
    return
  }
  const range = rangeFor(exchange, answer)
  // Opened before anything is sent: a result that was removed meanwhile must become an error, not a torn image.
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

/** Sends what came out: 200 with the image alone, or 303 (§5.1). */
export const sendAnswer = async (exchange: Exchange, answer: Answer): Promise<void> => {
  if (answer.kind === 'image') return sendImage(exchange, answer)
  const { to, warnings, stages } = answer
  const location = to.kind === 'result' ? `${exchange.base}/-/results/${to.token}` : to.url
  const headers = {
    Location: location,
    'Cache-Control': 'no-store',
    'Content-Type': 'text/plain; charset=utf-8',
    ...warningHeader(warnings),
    ...timing(stages),
  }
  sendText(exchange, { status: 303, headers, body: `The image is at ${location}\n` })
}
