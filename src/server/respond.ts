import type { ServerResponse } from 'node:http'
import { pipeline } from 'node:stream/promises'
import type { Failure } from '../core/failure.ts'
import type { Answer, ImageAnswer } from '../jobs/answer.ts'
import { CORS, names, reasonPhrase, SAFE_CONTENT, serverTiming, warningValues } from './headers.ts'
import { failurePage, PAGE_HEADERS } from './pages.ts'

/** What a response needs to know of its request. */
export interface Asked {
  readonly id: string
  readonly method: string
  readonly accept: string | undefined
  readonly ifNoneMatch: string | undefined
  /** Makes the address of a stored result, as the client sees the service. */
  readonly resultAddress: (token: string) => string
}

type Headers = Record<string, string | string[] | number>

const remarks = (warnings: readonly string[]): Headers =>
  warnings.length === 0 ? {} : { Warning: warningValues(warnings) }

const timing = (stages: Answer['stages']): Headers =>
  Object.keys(stages).length === 0 ? {} : { 'Server-Timing': serverTiming(stages) }

const JSON_ERRORS = 'application/im2+json'

const rendered = (failure: Failure, accept: string | undefined): { readonly type: Headers; readonly body: string } => {
  const { status, message } = failure
  const { code } = failure.row
  if (names(accept, JSON_ERRORS)) {
    return {
      type: { 'Content-Type': JSON_ERRORS },
      body: JSON.stringify({ status, error: message, ...(code === undefined ? {} : { code }) }),
    }
  }
  if (names(accept, 'text/html')) return { type: PAGE_HEADERS, body: failurePage(status, message) }
  return { type: { 'Content-Type': 'text/plain; charset=utf-8', 'Cache-Control': 'no-store' }, body: `${message}\n` }
}

/** Sends a text of any kind, with the headers that everything has. */
export const sendText = (
  response: ServerResponse,
  asked: Pick<Asked, 'id' | 'method'>,
  status: number,
  headers: Headers,
  body: string,
): void => {
  response.writeHead(status, {
    ...CORS,
    'X-Request-Id': asked.id,
    'Content-Length': Buffer.byteLength(body),
    ...headers,
  })
  response.end(asked.method === 'HEAD' ? undefined : body)
}

/** The one place where failures become HTTP: plain text, JSON or a page, by Accept (§6). */
export const sendFailure = (
  response: ServerResponse,
  asked: Pick<Asked, 'id' | 'method' | 'accept'>,
  failure: Failure,
  allow?: string,
): void => {
  const { type, body } = rendered(failure, asked.accept)
  const { retryAfter } = failure.row
  const allowed = failure.status === 405 ? { Allow: allow ?? failure.row.allow ?? 'POST' } : {}
  const retry = retryAfter === undefined ? {} : { 'Retry-After': retryAfter }
  response.statusMessage = reasonPhrase(failure.message)
  sendText(
    response,
    asked,
    failure.status,
    { 'X-Content-Type-Options': 'nosniff', ...retry, ...allowed, ...type },
    body,
  )
}

const matches = (ifNoneMatch: string | undefined, etag: string): boolean =>
  ifNoneMatch !== undefined &&
  (ifNoneMatch.trim() === '*' || ifNoneMatch.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag))

const imageHeaders = (answer: ImageAnswer): Headers => ({
  ...remarks(answer.warnings),
  ...timing(answer.stages),
  ...(answer.cacheControl === undefined ? {} : { 'Cache-Control': answer.cacheControl }),
  ...(answer.variesByAccept ? { Vary: 'Accept' } : {}),
  ETag: answer.etag,
})

const upperCase = (name: string): string => name.replace(/(^|-)[a-z]/g, (letter) => letter.toUpperCase())

const sendImage = async (response: ServerResponse, asked: Asked, answer: ImageAnswer): Promise<void> => {
  const common = { ...CORS, 'X-Request-Id': asked.id, ...imageHeaders(answer) }
  if (asked.method !== 'POST' && matches(asked.ifNoneMatch, answer.etag)) {
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
  if (asked.method === 'HEAD') {
    response.end()
    if ('destroy' in body && typeof body.destroy === 'function') body.destroy()
  } else if (body instanceof Uint8Array) {
    response.end(body)
  } else {
    await pipeline(body, response)
  }
}

/** Sends what came out: 200 with the image alone, or 303 (§5.1). */
export const sendAnswer = async (response: ServerResponse, asked: Asked, answer: Answer): Promise<void> => {
  if (answer.kind === 'image') return sendImage(response, asked, answer)
  const location = answer.to.kind === 'result' ? asked.resultAddress(answer.to.token) : answer.to.url
  const body = `The image is at ${location}\n`
  sendText(
    response,
    asked,
    303,
    {
      Location: location,
      'Cache-Control': 'no-store',
      'Content-Type': 'text/plain; charset=utf-8',
      ...remarks(answer.warnings),
      ...timing(answer.stages),
    },
    body,
  )
}
