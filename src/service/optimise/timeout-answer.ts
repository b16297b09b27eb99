import { readFile } from 'node:fs/promises'
import { setImmediate } from 'node:timers/promises'
import { stripMetadata } from '../../containers/strip/strip.ts'
import { fail } from '../../core/failure.ts'
import { CONTENT_TYPES, type SourceFacts } from '../../core/image.ts'
import type { Answer } from '../../jobs/answer.ts'
import { etagOf } from '../../jobs/recall.ts'

/** A request whose timeout expired before there was a result. */
export interface Late {
  /** Absent for an upload. */
  readonly url: URL | undefined
  readonly facts: SourceFacts
  readonly spooled: { readonly path: string }
  /** seconds */
  readonly options: { readonly timeout: number }
  /** Most seconds that timeout= may ask for. */
  readonly maxTimeout: number
}

/** ms of work on one file, after which the event loop serves other requests. */
const TURN_MS = 10

/** Joins all pieces. Yields to the event loop every {@link TURN_MS}. */
const gather = async (pieces: Iterable<Uint8Array>): Promise<Uint8Array> => {
  const taken: Uint8Array[] = []
  let since = performance.now()
  for (const piece of pieces) {
    if (piece.length > 0) taken.push(piece)
    if (performance.now() - since < TURN_MS) continue
    await setImmediate()
    since = performance.now()
  }
  return Buffer.concat(taken)
}

/** The `Warning` of a source that replaces its result. It advises a longer timeout only where the service allows one. */
const warningOf = ({ options, maxTimeout }: Late, what: string): string =>
  `The timeout expired before anything was made: ${what}.${options.timeout < maxTimeout ? ' Raise timeout=.' : ''}`

/** The source's own bytes without metadata (§3.5). Fails for formats whose metadata cannot be removed, and for SVG, which may run scripts. */
const ownBytes = async (late: Late): Promise<Answer> => {
  const { facts, spooled } = late
  const pieces = facts.format === 'svg' ? undefined : stripMetadata(facts, await readFile(spooled.path))
  if (pieces === undefined) throw fail('WORK_TOO_SLOW')
  const body = await gather(pieces)
  return {
    kind: 'image',
    contentType: CONTENT_TYPES[facts.format],
    body,
    bytes: body.length,
    etag: etagOf(body),
    warnings: [warningOf(late, 'this is the untouched source without its metadata')],
    stages: {},
    facts: { 'x-source-bytes': String(facts.bytes), 'x-encodes': '0' },
    variesByAccept: false,
  }
}

/**
 * The answer when the timeout expired before there was a result (§5.2): a redirect to the source, or the uploaded bytes without
 * their metadata. Fails with WORK_TOO_SLOW where those bytes must not be sent: an SVG that was not sanitised, AVIF and TIFF.
 */
export const answerAtTimeout = async (late: Late): Promise<Answer> => {
  const { url } = late
  // A password in the address must not get into a Location, which caches and logs keep: the bytes go out instead.
  if (url === undefined || url.username !== '' || url.password !== '') return ownBytes(late)
  const warnings = [warningOf(late, 'this leads to the untouched source')]
  return { kind: 'redirect', to: { kind: 'source', url: url.href }, warnings, stages: {} }
}
