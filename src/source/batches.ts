import type { Readable } from 'node:stream'
import { BUFFER_BYTES } from '../core/piece-bytes.ts'
import { releaseBuffer } from '../support/release-buffer.ts'

/** Limits of the chunks of a body, since each chunk costs work. Chosen, not measured. */
const CHUNKS = {
  /** Chunks that any body may have. */
  free: 20_000,
  /** Mean bytes of each further chunk. */
  minBytes: 64,
} as const

const joined = (chunks: readonly Buffer[]): Buffer => {
  if (chunks.length === 1) return chunks[0]!
  const all = Buffer.concat(chunks)
  chunks.forEach(releaseBuffer)
  return all
}

/** Errors of a body that is read in batches. */
interface BatchErrors {
  /** The chunks are too small for their number. */
  readonly inTinyChunks: () => Error
  /** The body closed before its end, without an error of its own. */
  readonly cutOff: () => Error
}

/**
 * Yields a body in batches: each holds the chunks that arrived while the reader was busy. A million chunks of one byte then cost the
 * reader a few steps. The reader owns a batch and may release it. Throws one of `errors`, the signal's reason, or the stream's
 * error. When iteration ends early, the rest of the body is drained.
 */
export async function* batchesOf(body: Readable, signal: AbortSignal, errors: BatchErrors): AsyncGenerator<Buffer> {
  let held: Buffer[] = []
  let bytes = 0
  let [chunks, total] = [0, 0]
  let ended = body.readableEnded
  let error: unknown
  let wake = Promise.withResolvers<void>()
  const onData = (chunk: Buffer): void => {
    held.push(chunk)
    bytes += chunk.length
    chunks += 1
    total += chunk.length
    if (chunks > CHUNKS.free + total / CHUNKS.minBytes) end(errors.inTinyChunks())
    if (bytes > BUFFER_BYTES) body.pause()
    wake.resolve()
  }
  const end = (why?: unknown): void => {
    ended = true
    error ??= why
    wake.resolve()
  }
  const onEnd = (): void => end()
  const onClose = (): void => (ended ? undefined : end(errors.cutOff()))
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
