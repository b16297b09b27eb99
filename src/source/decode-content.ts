import { pipeline, type Readable } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw, createZstdDecompress } from 'node:zlib'
import { fail } from '../core/failure.ts'

type Chunks = AsyncIterable<Uint8Array>

/** What we ask for: an SVG is worth compressing, and everything offered here we can undo. */
export const ACCEPT_ENCODING = 'gzip, deflate, br, zstd'

/** One coding on top of another happens; more is an attempt to keep us busy. */
const MOST_CODINGS = 3

const through =
  (make: () => NodeJS.ReadWriteStream & Readable) =>
  (source: Chunks): Chunks => {
    const stream = make()
    // Errors, and the end of the source when the reader leaves early, reach both ends through the stream itself.
    pipeline(source, stream, () => undefined)
    return stream
  }

/** "deflate" means zlib's wrapping, but some servers send it bare; the first byte tells. */
async function* inflate(source: Chunks): Chunks {
  const iterator = source[Symbol.asyncIterator]()
  const first = await iterator.next()
  if (first.done) return
  const again = async function* (): AsyncGenerator<Uint8Array> {
    yield first.value
    yield* { [Symbol.asyncIterator]: () => iterator }
  }
  const wrapped = ((first.value[0] ?? 0) & 0x0f) === 8
  yield* through(wrapped ? createInflate : createInflateRaw)(again())
}

const DECODERS: Readonly<Record<string, (source: Chunks) => Chunks>> = {
  gzip: through(createGunzip),
  'x-gzip': through(createGunzip),
  deflate: inflate,
  br: through(createBrotliDecompress),
  zstd: through(createZstdDecompress),
}

/** The codings of a Content-Encoding that change bytes, first applied first. Unknown names mean nothing, as in browsers. */
export const codingsOf = (contentEncoding: string): readonly string[] =>
  contentEncoding
    .toLowerCase()
    .split(',')
    .map((coding) => coding.trim())
    .filter((coding) => Object.hasOwn(DECODERS, coding))

/** Undoes a Content-Encoding while streaming. Errors of zlib come out of the iteration. */
export const decodeContent = (source: Chunks, codings: readonly string[]): Chunks => {
  if (codings.length > MOST_CODINGS) throw fail('ORIGIN_FAILED', 'its answer is compressed too many times')
  return codings.toReversed().reduce((chunks, coding) => DECODERS[coding]?.(chunks) ?? chunks, source)
}
