import type { ByteRange } from '../ports/results.ts'

/** The result of a `Range` header: the whole body, no part of it, or a part in bytes. */
export type RequestedRange =
  | { readonly kind: 'whole' }
  | { readonly kind: 'none' }
  | ({ readonly kind: 'part' } & ByteRange)

const WHOLE = { kind: 'whole' } as const
/** At most 15 digits, which is a safe integer and more than any body. */
const RANGE = /^bytes=(?:(\d{1,15})-(\d{0,15})|-(\d{1,15}))$/i

/**
 * Reads a `Range` header for a body of `bytes` bytes. Supports a single range. Several ranges and other units are ignored, as RFC 9110
 * (section 14.2) allows.
 */
export const readRange = (header: string | undefined, bytes: number): RequestedRange => {
  const [matched, from = '', to = '', suffix = ''] = RANGE.exec(header?.replace(/[ \t]/g, '') ?? '') ?? []
  if (matched === undefined) return WHOLE
  const first = suffix === '' ? Number(from) : Math.max(0, bytes - Number(suffix))
  const last = suffix === '' && to !== '' ? Number(to) : bytes - 1
  if (suffix === '' && to !== '' && last < first) return WHOLE
  return first >= bytes ? { kind: 'none' } : { kind: 'part', first, last: Math.min(last, bytes - 1) }
}

/** Whether `If-Range` allows a partial response: the client's part must be of exactly this body (RFC 9110, section 13.1.5). */
export const matchesIfRange = (ifRange: string | undefined, etag: string): boolean =>
  // Weak tags and dates never match, since the service sends neither.
  ifRange === undefined || ifRange.trim() === etag
