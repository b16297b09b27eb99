import type { Stages } from '../core/outcome.ts'
import { WARNINGS } from '../options/parse.ts'

const ascii = (text: string): string => text.replace(/\s+/g, ' ').replace(/[^\x20-\x7e]/g, '?')

/** `299 - "text"` for each Warning: printable ASCII, escaped quotes, no duplicates, at most 8 of 200 bytes (§5.3). */
export const warningValues = (warnings: readonly string[]): string[] =>
  [...new Set(warnings)].slice(0, WARNINGS.max).map((warning) => {
    const text = ascii(warning).replace(/[\\"]/g, '\\$&')
    return `299 - "${text.length > WARNINGS.maxBytes ? `${text.slice(0, WARNINGS.maxBytes - 3).replace(/\\+$/, '')}...` : text}"`
  })

/** Returns the first sentence of a text as a reason phrase: printable ASCII, at most 100 bytes. */
export const reasonPhrase = (text: string): string => {
  const sentence = ascii(text).split(/(?<=[.!?]) /, 1)[0]!
  return sentence.length > 100 ? `${sentence.slice(0, 97)}...` : sentence
}

/** Server-Timing in milliseconds, one entry per stage. */
export const serverTiming = (stages: Stages): string =>
  Object.entries(stages)
    .map(([name, ms]) => `${name.replace(/[^\w-]/g, '_')};dur=${ms.toFixed(1)}`)
    .join(', ')

/** Response headers that scripts of other origins may read (§5). */
export const EXPOSED_HEADERS = [
  'Content-Length',
  'Warning',
  'Location',
  'Server-Timing',
  'X-Source-Bytes',
  'X-Score',
  'X-Butteraugli',
  'X-Encodes',
  'X-Quota-Remaining',
  'Content-Disposition',
  'X-Loop-Count',
  'X-Focus',
  'X-Request-Id',
  'ETag',
  'Accept-Ranges',
  'Content-Range',
  'Retry-After',
] as const

/** Allows browsers to call the service and to read its headers (§5.4). */
export const CORS: Readonly<Record<string, string>> = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers': EXPOSED_HEADERS.join(', '),
  'Timing-Allow-Origin': '*',
}

/** Returns the headers of a preflight response: methods and headers that other origins may use. */
export const preflight = (requestedHeaders: string | undefined): Record<string, string> => ({
  ...CORS,
  'Access-Control-Allow-Methods': 'POST, GET, HEAD, OPTIONS',
  'Access-Control-Allow-Headers': requestedHeaders === undefined ? 'Content-Type, Accept' : ascii(requestedHeaders),
  'Access-Control-Max-Age': '86400',
})

/** Headers that make a result safe to open as a page: an SVG cannot run or load anything. */
export const SAFE_CONTENT: Readonly<Record<string, string>> = {
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox",
}

/** Whether an Accept header names a media type literally. A wildcard does not count (§4.2), nor does `q=0`. */
export const namesMediaType = (accept: string | undefined, type: string): boolean =>
  (accept ?? '').split(',').some((part) => {
    const [media = '', ...parameters] = part.split(';').map((piece) => piece.trim().toLowerCase())
    return media === type && !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter))
  })

/** Returns the highest q of the matching media types in an Accept header: 1 by default, 0 if none matches. */
const qualityOf = (accept: string, pattern: RegExp): number =>
  Math.max(
    0,
    ...accept.split(',').map((part) => {
      const [media = '', ...parameters] = part.split(';').map((piece) => piece.trim().toLowerCase())
      const q = parameters.map((parameter) => /^q=([01](?:\.\d{0,3})?)$/.exec(parameter)?.[1]).find(Boolean)
      return pattern.test(media) ? Number(q ?? 1) : 0
    }),
  )

/** Whether an Accept header prefers a page to an image (§8.1), as when a browser opens an address. `<img>` prefers the image. */
export const prefersPage = (accept: string | undefined): boolean => {
  const page = qualityOf(accept ?? '', /^text\/html$/)
  return page > 0 && page >= qualityOf(accept ?? '', /^image\//)
}
