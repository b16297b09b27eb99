import { errors } from 'undici'
import { Failure, fail } from '../core/failure.ts'

/**
 * Descriptions of network errors by code. The first matching pattern counts. Error messages never reach the client, since they
 * contain addresses and ports of the network.
 */
const DESCRIPTIONS: readonly (readonly [RegExp, string])[] = [
  [/^ECONNREFUSED$/, 'it refused the connection'],
  [/^E(HOST|NET)(UNREACH|DOWN)$|^EADDRNOTAVAIL$/, 'there is no way to it'],
  [/CERT_HAS_EXPIRED|CERT_NOT_YET_VALID/, 'its TLS certificate is not valid today'],
  [/ALTNAME/, 'its TLS certificate is for another host name'],
  [/CERT|SELF_SIGNED|ISSUER|VERIFY_LEAF/, 'its TLS certificate is not trusted'],
  [/^ERR_SSL|^ERR_TLS|^EPROTO$/, 'no TLS connection could be made'],
  [/^UND_ERR_SOCKET$|^ECONNRESET$|^EPIPE$|CONTENT_LENGTH_MISMATCH/, 'the connection broke off'],
  [/^HPE_|^UND_ERR_HEADERS_OVERFLOW$|^UND_ERR_RESPONSE$/, 'its answer is not well-formed HTTP'],
  [/^Z_BUF_ERROR$|^ERR_STREAM_PREMATURE_CLOSE$/, 'its answer ends too early'],
  [/^Z_|^ERR__?(BROTLI|ZSTD)|^ZSTD_/, 'its compressed answer is broken'],
]

const SLOW = /^ETIMEDOUT$|^UND_ERR_(CONNECT|HEADERS|BODY)_TIMEOUT$/

/** A code for undici's parser errors, which have none: the connection ended early, or the response is no HTTP. */
const parserCode = (error: errors.HTTPParserError): string => (/EOF/.test(error.message) ? 'UND_ERR_SOCKET' : 'HPE_')

const codeOf = (error: unknown): string => {
  if (error instanceof AggregateError) return codeOf(error.errors[0])
  if (error instanceof errors.HTTPParserError) return parserCode(error)
  if (typeof error !== 'object' || error === null) return ''
  const { code, cause } = error as { readonly code?: unknown; readonly cause?: unknown }
  return typeof code === 'string' ? code : cause === undefined ? '' : codeOf(cause)
}

const isTimeout = (error: unknown): boolean => error instanceof DOMException && error.name === 'TimeoutError'

/**
 * The failure for an error of a fetch. When `signal` ended the fetch, a timeout is ORIGIN_TOO_SLOW; it returns any other reason unchanged, such as a disconnected
 * client.
 */
export const originFailure = (error: unknown, signal: AbortSignal): unknown => {
  if (error instanceof Failure) return error
  if (signal.aborted) return isTimeout(signal.reason) ? fail('ORIGIN_TOO_SLOW') : signal.reason
  const code = codeOf(error)
  if (SLOW.test(code)) return new Failure({ code: 'ORIGIN_TOO_SLOW', args: [] }, error)
  const description = DESCRIPTIONS.find(([pattern]) => pattern.test(code))?.[1] ?? 'the connection to it failed'
  return new Failure({ code: 'ORIGIN_FAILED', args: [description] }, error)
}

/** The failure for a response's status. undefined when the response contains the whole image. */
export const statusFailure = (status: number): Failure | undefined => {
  if (status === 401 || status === 403) return fail('ORIGIN_FORBIDS', status)
  if (status === 404 || status === 410) return fail('SOURCE_NOT_FOUND', status)
  const whole = status >= 200 && status < 300 && status !== 204 && status !== 205 && status !== 206
  return whole ? undefined : fail('ORIGIN_FAILED', `it answered with status ${status}`)
}
