import { pipeline, type Readable } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw, createZstdDecompress } from 'node:zlib'
import { fail } from '../core/failure.ts'

type Chunks = AsyncIterable<Uint8Array>

/** Value of Accept-Encoding: all codings that {@link decodeContent} supports. SVG compresses well. */
export const ACCEPT_ENCODING = 'gzip, deflate, br, zstd'

/** Maximum content codings of one response. Real ones have one or two; this limits the work that a hostile server can cause. */
const MAX_CODINGS = 3

const through =
  (make: () => NodeJS.ReadWriteStream & Readable) =>
  (source: Chunks): Chunks => {
    const stream = make()
    // `pipeline` reports errors through the stream itself. It also ends the source if the reader stops early.
    pipeline(source, stream, () => undefined)
    return stream
  }

/** "deflate" means zlib's format, but some servers send raw deflate. The first byte distinguishes them. */
async function* inflate(source: Chunks): Chunks {
  const iterator = source[Symbol.asyncIterator]()
  const first = await iterator.next()
  if (first.done) return
  const fromStart = async function* (): AsyncGenerator<Uint8Array> {
    yield first.value
    yield* { [Symbol.asyncIterator]: () => iterator }
  }
  const isZlib = ((first.value[0] ?? 0) & 0x0f) === 8
  yield* through(isZlib ? createInflate : createInflateRaw)(fromStart())
}

const DECODERS: Readonly<Record<string, (source: Chunks) => Chunks>> = {
  gzip: through(createGunzip),
  'x-gzip': through(createGunzip),
  deflate: inflate,
  br: through(createBrotliDecompress),
  zstd: through(createZstdDecompress),
}

/** The codings of a Content-Encoding in the order of their application. Unknown names are ignored, as in browsers. */
export const codingsOf = (contentEncoding: string): readonly string[] =>
  contentEncoding
    .toLowerCase()
    .split(',')
    .map((coding) => coding.trim())
    .filter((coding) => Object.hasOwn(DECODERS, coding))

/** Yields the same chunks. Fails with SOURCE_TOO_HEAVY beyond `maxBytes`. */
async function* within(source: Chunks, maxBytes: number): Chunks {
  let left = maxBytes
  for await (const chunk of source) {
    left -= chunk.length
    if (left < 0) throw fail('SOURCE_TOO_HEAVY', maxBytes)
    yield chunk
  }
}

/**
 * Decodes a Content-Encoding while streaming. Fails with ORIGIN_FAILED for more than three codings. The iteration throws zlib's errors,
 * and SOURCE_TOO_HEAVY if the input of any coding exceeds `maxBytes`: 400 bytes may unpack to gigabytes that unpack to nothing.
 */
export const decodeContent = (source: Chunks, codings: readonly string[], maxBytes: number): Chunks => {
  if (codings.length > MAX_CODINGS) throw fail('ORIGIN_FAILED', 'its answer is compressed too many times')
  return codings.toReversed().reduce((chunks, coding) => DECODERS[coding]?.(within(chunks, maxBytes)) ?? chunks, source)
}
