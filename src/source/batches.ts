import type { Readable } from 'node:stream'

/** Bytes that may wait for the disk before the sender is made to wait. */
const MOST_WAITING = 262_144
/** Pieces that any body may come in, and bytes that each piece beyond them has to bring on average: every piece costs work, however small it is. */
const FREE_PIECES = 20_000
const LEAST_BYTES_A_PIECE = 64

/**
 * Gives back the memory of a chunk that nobody reads any more, where it holds nothing else. Left to garbage collection, the chunks of a
 * few photographs are enough for V8 to collect everything.
 */
export const releaseChunk = ({ buffer, byteLength }: Uint8Array): void => {
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0)
}

const joined = (chunks: readonly Buffer[]): Buffer => {
  if (chunks.length === 1) return chunks[0]!
  const all = Buffer.concat(chunks)
  chunks.forEach(releaseChunk)
  return all
}

/** What a body that is read in batches fails with. */
interface Fails {
  /** The pieces are too small for their number. */
  readonly inTinyPieces: () => Error
  /** It was closed before its end, without an error of its own. */
  readonly cutOff: () => Error
}

/**
 * A body in batches of what has come in the meantime, so that a million pieces of one byte cost their reader a few steps; a batch is its
 * reader's, to be released when it is done with. Fails as `fails` says, with the signal's reason, or with the stream's error. Whatever
 * ends it, the rest of the body is left to flow by unread.
 */
export async function* batchesOf(body: Readable, signal: AbortSignal, fails: Fails): AsyncGenerator<Buffer> {
  let held: Buffer[] = []
  let bytes = 0
  let [pieces, total] = [0, 0]
  let ended = body.readableEnded
  let error: unknown
  let wake = Promise.withResolvers<void>()
  const onData = (chunk: Buffer): void => {
    held.push(chunk)
    bytes += chunk.length
    pieces += 1
    total += chunk.length
    if (pieces > FREE_PIECES + total / LEAST_BYTES_A_PIECE) end(fails.inTinyPieces())
    if (bytes > MOST_WAITING) body.pause()
    wake.resolve()
  }
  const end = (why?: unknown): void => {
    ended = true
    error ??= why
    wake.resolve()
  }
  const onEnd = (): void => end()
  const onClose = (): void => (ended ? undefined : end(fails.cutOff()))
  const onAbort = (): void => end(signal.reason)
  if (signal.aborted) onAbort()
  body.on('data', onData).once('end', onEnd).once('close', onClose).on('error', end)
  signal.addEventListener('abort', onAbort, { once: true })
  try {
    for (;;) {
      if (held.length === 0 && !ended) await wake.promise
      wake = Promise.withResolvers<void>()
      if (error !== undefined) throw error
      if (held.length === 0 && ended) return
      const batch = joined(held)
      held = []
      bytes = 0
      body.resume()
      yield batch
    }
  } finally {
    signal.removeEventListener('abort', onAbort)
    body.off('data', onData).off('end', onEnd).off('close', onClose).off('error', end)
    body.on('error', () => undefined).resume()
  }
}
