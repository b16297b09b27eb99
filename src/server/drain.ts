import type { IncomingMessage } from 'node:http'
import type { Exchange } from './exchange.ts'

/**
 * Limits of an unwanted body that is read after the response. Many clients read a response only after they have sent everything,
 * and closing the connection before that loses the response (RFC 9112, section 9.6). Chosen, not measured.
 */
const DRAIN = {
  /** Bytes of the rest of a body. */
  maxBytes: 64_000_000,
  /** ms for the rest of a body. */
  maxMs: 30_000,
  /** ms without a byte. */
  maxIdleMs: 5_000,
  /** Bytes that each chunk counts at least. */
  minChunkBytes: 1_024,
} as const

/** Whether a request has a body. */
export const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0

/** Closes a connection after all its responses: earlier requests on it may still run. */
const cutOff = ({ request, response }: Pick<Exchange, 'request' | 'response'>): void => {
  if (response.writableFinished) request.socket.destroy()
  else response.once('finish', () => request.socket.destroy())
}

/** Reads and discards the rest of a body. Disconnects a client that exceeds the limits. */
export const drain = (exchange: Pick<Exchange, 'request' | 'response' | 'traffic'>): Promise<void> =>
  new Promise((resolve) => {
    const { request, traffic } = exchange
    if (request.complete || request.destroyed) return resolve()
    let left = DRAIN.maxBytes
    const stop = (): void => {
      request.pause()
      cutOff(exchange)
      end()
    }
    const whole = setTimeout(stop, DRAIN.maxMs).unref()
    const idle = setTimeout(stop, DRAIN.maxIdleMs).unref()
    const end = (): void => {
      clearTimeout(whole)
      clearTimeout(idle)
      request.off('data', count)
      resolve()
    }
    const count = (chunk: Buffer): void => {
      left -= Math.max(chunk.length, DRAIN.minChunkBytes)
      traffic.received += chunk.length
      idle.refresh()
      if (left < 0) stop()
    }
    request.on('data', count).once('close', end).once('end', end)
    request.on('error', () => undefined)
    request.resume()
  })
