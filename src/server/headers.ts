import type { Stages } from '../core/outcome.ts'

/** Most warnings on one response, and bytes of each (§5.3). */
const MOST_WARNINGS = 8
const WARNING_BYTES = 200

const ascii = (text: string): string => text.replace(/\s+/g, ' ').replace(/[^\x20-\x7e]/g, '?')

/** `299 - "text"` for each warning: printable ASCII, quotes escaped, none twice, at most 8 of 200 bytes (§5.3). */
export const warningValues = (warnings: readonly string[]): string[] =>
  [...new Set(warnings)].slice(0, MOST_WARNINGS).map((warning) => {
    const text = ascii(warning).replace(/[\\"]/g, '\\$&')
    return `299 - "${text.length > WARNING_BYTES ? `${text.slice(0, WARNING_BYTES - 3).replace(/\\+$/, '')}...` : text}"`
  })

/** A reason phrase from the first sentence of a text: printable ASCII, at most 100 bytes. */
export const reasonPhrase = (text: string): string => {
  const sentence = ascii(text).split(/(?<=[.!?]) /, 1)[0]!
  return sentence.length > 100 ? `${sentence.slice(0, 97)}...` : sentence
}

/** Server-Timing in milliseconds, one entry a stage. */
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

/** Lets browsers call the service and read what it says (§5.4). */
export const CORS: Readonly<Record<string, string>> = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers': EXPOSED_HEADERS.join(', '),
  'Timing-Allow-Origin': '*',
}

/** The answer to a preflight: what may be asked from another origin. */
export const preflight = (requestedHeaders: string | undefined): Record<string, string> => ({
  ...CORS,
  'Access-Control-Allow-Methods': 'POST, GET, HEAD, OPTIONS',
  'Access-Control-Allow-Headers': requestedHeaders === undefined ? 'Content-Type, Accept' : ascii(requestedHeaders),
  'Access-Control-Max-Age': '86400',
})

/** What keeps a result from doing harm when it is opened as a page: an SVG runs nothing and loads nothing. */
export const SAFE_CONTENT: Readonly<Record<string, string>> = {
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox",
}

/** Whether an Accept header names a media type literally; a wildcard does not count (§4.2), nor does `q=0`. */
export const names = (accept: string | undefined, type: string): boolean =>
  (accept ?? '').split(',').some((part) => {
    const [media = '', ...parameters] = part.split(';').map((piece) => piece.trim().toLowerCase())
    return media === type && !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter))
  })

/** How much an Accept header wants what a pattern names: its q, 1 unless given; 0 where nothing does. */
const wish = (accept: string, pattern: RegExp): number =>
  Math.max(
    0,
    ...accept.split(',').map((part) => {
      const [media = '', ...parameters] = part.split(';').map((piece) => piece.trim().toLowerCase())
      const q = parameters.map((parameter) => /^q=([01](?:\.\d{0,3})?)$/.exec(parameter)?.[1]).find(Boolean)
      return pattern.test(media) ? Number(q ?? 1) : 0
    }),
  )

/** Whether an Accept header prefers a page to an image (§8.1): browsers that open an address do, `<img>` does not. */
export const prefersPage = (accept: string | undefined): boolean => {
  const page = wish(accept ?? '', /^text\/html$/)
  return page > 0 && page >= wish(accept ?? '', /^image\//)
}
