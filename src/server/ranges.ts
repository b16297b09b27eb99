import type { ByteRange } from '../ports/results.ts'

/** What a `Range` header comes to: nothing to heed, nothing of the body, or a part of it. */
export type AskedRange =
  | { readonly kind: 'whole' }
  | { readonly kind: 'none' }
  | ({ readonly kind: 'part' } & ByteRange)

const WHOLE = { kind: 'whole' } as const
/** Digits that still make a safe integer; a body of more bytes there is none. */
const RANGE = /^bytes=(?:(\d{1,15})-(\d{0,15})|-(\d{1,15}))$/i

/**
 * Reads a `Range` header for a body of so many bytes. One range is answered; several, or what is no range of bytes, are
 * not heeded, as RFC 9110 (section 14.2) allows: nobody needs an image in pieces out of order, and each piece costs.
 */
export const readRange = (header: string | undefined, bytes: number): AskedRange => {
  const [matched, from = '', to = '', suffix = ''] = RANGE.exec(header?.replace(/[ \t]/g, '') ?? '') ?? []
  if (matched === undefined) return WHOLE
  const first = suffix === '' ? Number(from) : Math.max(0, bytes - Number(suffix))
  const last = suffix === '' && to !== '' ? Number(to) : bytes - 1
  if (suffix === '' && to !== '' && last < first) return WHOLE
  return first >= bytes ? { kind: 'none' } : { kind: 'part', first, last: Math.min(last, bytes - 1) }
}

/** Whether `If-Range` lets a range be answered: only for exactly the body that the client has a part of (RFC 9110, section 13.1.5). */
export const isStillThat = (ifRange: string | undefined, etag: string): boolean =>
  // Weak tags and dates are never exact enough; we send neither.
  ifRange === undefined || ifRange.trim() === etag
