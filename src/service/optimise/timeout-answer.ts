import { readFile } from 'node:fs/promises'
import { setImmediate } from 'node:timers/promises'
import { stripMetadata } from '../../containers/strip/strip.ts'
import { fail } from '../../core/failure.ts'
import { CONTENT_TYPES, type SourceFacts } from '../../core/image.ts'
import type { Answer } from '../../jobs/answer.ts'
import { etagOf } from '../../jobs/recall.ts'

/** A request whose timeout expired before there was a result. */
export interface TimedOutRequest {
  /** Absent for an upload. */
  readonly url: URL | undefined
  readonly facts: SourceFacts
  readonly spooled: { readonly path: string }
  /** `timeout` in seconds. */
  readonly options: { readonly timeout: number }
  /** Maximum seconds of timeout=. */
  readonly maxTimeout: number
}

/** Maximum ms of synchronous work before the event loop serves other requests. */
const TURN_MS = 10

/** Joins all pieces. Yields to the event loop every {@link TURN_MS}. */
const joinPieces = async (pieces: Iterable<Uint8Array>): Promise<Uint8Array> => {
  const joined: Uint8Array[] = []
  let since = performance.now()
  for (const piece of pieces) {
    if (piece.length > 0) joined.push(piece)
    if (performance.now() - since < TURN_MS) continue
    await setImmediate()
    since = performance.now()
  }
  return Buffer.concat(joined)
}

/** Returns the Warning of a source that replaces its result. Advises a longer timeout only if one is allowed. */
const warningOf = ({ options, maxTimeout }: TimedOutRequest, what: string): string =>
  `The timeout expired before anything was made: ${what}.${options.timeout < maxTimeout ? ' Raise timeout=.' : ''}`

/** The source without metadata (§3.5). Fails for formats whose metadata cannot be removed, and for SVG, which may run scripts. */
const ownBytes = async (request: TimedOutRequest): Promise<Answer> => {
  const { facts, spooled } = request
  const pieces = facts.format === 'svg' ? undefined : stripMetadata(facts, await readFile(spooled.path))
  if (pieces === undefined) throw fail('WORK_TOO_SLOW')
  const body = await joinPieces(pieces)
  return {
    kind: 'image',
    contentType: CONTENT_TYPES[facts.format],
    body,
    bytes: body.length,
    etag: etagOf(body),
    warnings: [warningOf(request, 'this is the untouched source without its metadata')],
    stages: {},
    facts: { 'x-source-bytes': String(facts.bytes), 'x-encodes': '0' },
    variesByAccept: false,
  }
}

/**
 * Returns the answer after a timeout without a result (§5.2): a redirect to the source, or the uploaded bytes without metadata. Fails
 * with WORK_TOO_SLOW for an SVG, AVIF or TIFF, whose bytes must not be sent unchanged.
 */
export const answerAtTimeout = async (request: TimedOutRequest): Promise<Answer> => {
  const { url } = request
  // Caches and logs keep a Location, so it must not contain a password.
  if (url === undefined || url.username !== '' || url.password !== '') return ownBytes(request)
  const warnings = [warningOf(request, 'this leads to the untouched source')]
  return { kind: 'redirect', to: { kind: 'source', url: url.href }, warnings, stages: {} }
}
