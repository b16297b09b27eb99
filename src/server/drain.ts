import type { IncomingMessage } from 'node:http'

/** Bytes of an unwanted body that are still read after the answer, so that the client gets to see it. */
const DRAIN_BYTES = 1_000_000
const DRAIN_MS = 2000

/** Whether a request brings a body. */
export const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0

/** Reads away what is left of a body; a client that goes on and on is cut off. */
export const drain = (request: IncomingMessage): void => {
  if (request.complete || request.destroyed) return
  let left = DRAIN_BYTES
  const timer = setTimeout(() => request.socket.destroy(), DRAIN_MS).unref()
  request.on('data', (chunk: Buffer) => {
    left -= chunk.length
    if (left < 0) request.socket.destroy()
  })
  request.once('close', () => clearTimeout(timer)).once('end', () => clearTimeout(timer))
  request.on('error', () => undefined)
  request.resume()
}
