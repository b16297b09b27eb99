import type { Failure } from '../core/failure.ts'
import type { Answer, ImageAnswer } from '../jobs/answer.ts'
import { type Exchange, rootOf } from './exchange.ts'
import { CORS, names, reasonPhrase, SAFE_CONTENT, serverTiming, warningValues } from './headers.ts'
import { failurePage, pageHeaders } from './pages.ts'
import { sendBody } from './send-body.ts'

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

const allowHeader = ({ code, args }: Failure): Headers =>
  code === 'METHOD_NOT_ALLOWED' ? { Allow: args.join(', ') } : {}

/** The one place where failures become HTTP: plain text, JSON or a page, by Accept (§6). */
export const sendFailure = (exchange: Exchange, failure: Failure): void => {
  const { type, body } = rendered(failure, exchange)
  const { retryAfter } = failure.row
  const retry = retryAfter === undefined ? {} : { 'Retry-After': retryAfter }
  exchange.response.statusMessage = reasonPhrase(failure.message)
  const headers = { 'X-Content-Type-Options': 'nosniff', ...retry, ...allowHeader(failure), ...type }
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

const upperCase = (name: string): string => name.replace(/(^|-)[a-z]/g, (letter) => letter.toUpperCase())

const sendImage = async (exchange: Exchange, answer: ImageAnswer): Promise<void> => {
  const { request, response, id, method } = exchange
  const common = { ...CORS, 'X-Request-Id': id, ...imageHeaders(answer) }
  if (method !== 'POST' && matches(request.headers['if-none-match'], answer.etag)) {
    response.writeHead(304, common).end()
    return
  }
  // Opened before anything is sent: a result that was removed meanwhile must become an error, not a torn image.
  const body = typeof answer.body === 'function' ? await answer.body() : answer.body
  response.writeHead(200, {
    ...common,
    ...SAFE_CONTENT,
    ...Object.fromEntries(Object.entries(answer.facts).map(([name, value]) => [upperCase(name), value])),
    'Content-Type': answer.contentType,
    'Content-Length': answer.bytes,
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
