import type { IncomingMessage } from 'node:http'
import { fail } from '../core/failure.ts'

/** Bytes that may wait for the disk before the client is made to wait. */
const MOST_WAITING = 262_144
/** Pieces that any body may come in, and bytes that each piece beyond them has to bring on average: every piece costs work, however small it is. */
const FREE_PIECES = 20_000
const LEAST_BYTES_A_PIECE = 64

/**
 * The body of a request in batches of what has come in the meantime, so that a million pieces of one byte cost their
 * reader a few steps. Fails with UPLOAD_BROKEN when the pieces are too small for their number, with the signal's reason, or
 * with an error when the client goes away. Whatever ends it, the rest of the body is left to flow by unread.
 */
export async function* batchesOf(req: IncomingMessage, signal: AbortSignal): AsyncGenerator<Buffer> {
  let held: Buffer[] = []
  let bytes = 0
  let [pieces, total] = [0, 0]
  let ended = req.readableEnded
  let error: unknown
  let wake = Promise.withResolvers<void>()
  const onData = (chunk: Buffer): void => {
    held.push(chunk)
    bytes += chunk.length
    pieces += 1
    total += chunk.length
    if (pieces > FREE_PIECES + total / LEAST_BYTES_A_PIECE)
      end(fail('UPLOAD_BROKEN', 'it comes in too many tiny pieces'))
    if (bytes > MOST_WAITING) req.pause()
    wake.resolve()
  }
  const end = (why?: unknown): void => {
    ended = true
    error ??= why
    wake.resolve()
  }
  const onEnd = (): void => end()
  const onClose = (): void => (ended ? undefined : end(new Error('the client went away')))
  const onAbort = (): void => end(signal.reason)
  if (signal.aborted) onAbort()
  req.on('data', onData).once('end', onEnd).once('close', onClose).on('error', end)
  signal.addEventListener('abort', onAbort, { once: true })
  try {
    for (;;) {
      if (held.length === 0 && !ended) await wake.promise
      wake = Promise.withResolvers<void>()
      if (error !== undefined) throw error
      if (held.length === 0 && ended) return
      const batch = held.length === 1 ? held[0]! : Buffer.concat(held)
      held = []
      bytes = 0
      req.resume()
      yield batch
    }
  } finally {
    signal.removeEventListener('abort', onAbort)
    req.off('data', onData).off('end', onEnd).off('close', onClose).off('error', end)
    req.on('error', () => undefined).resume()
  }
}
