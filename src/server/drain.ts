import type { IncomingMessage } from 'node:http'
import type { Exchange } from './exchange.ts'

/** Bytes of an unwanted body that are still read after the answer, so that the client gets to see it. */
const DRAIN_BYTES = 1_000_000
const DRAIN_MS = 2000

/** Whether a request brings a body. */
export const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0

/** Reads away what is left of a body, until its end; a client that goes on and on is cut off. */
export const drain = ({ request, traffic }: Pick<Exchange, 'request' | 'traffic'>): Promise<void> =>
  new Promise((resolve) => {
    if (request.complete || request.destroyed) return resolve()
    let left = DRAIN_BYTES
    const timer = setTimeout(() => request.socket.destroy(), DRAIN_MS).unref()
    const end = (): void => {
      clearTimeout(timer)
      resolve()
    }
    request.on('data', (chunk: Buffer) => {
      left -= chunk.length
      traffic.received += chunk.length
      if (left < 0) request.socket.destroy()
    })
    request.once('close', end).once('end', end)
    request.on('error', () => undefined)
    request.resume()
  })
