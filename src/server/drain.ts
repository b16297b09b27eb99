import type { IncomingMessage } from 'node:http'
import type { Exchange } from './exchange.ts'

/**
 * Bytes of an unwanted body that are still read after the answer, and for how long: many clients read no answer before they
 * have sent everything, and a connection that is closed under them takes the answer away (RFC 9112, section 9.6).
 */
const DRAIN_BYTES = 64_000_000
const DRAIN_MS = 30_000
/** ms without a byte. */
const IDLE_MS = 5_000
/** What a piece of a body counts at least: each one costs work. */
const LEAST_A_PIECE = 1_024

/** Whether a request brings a body. */
export const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0

/** Cuts a connection off, but not before the answers on it have gone out: others of its requests may still be at work. */
const cutOff = ({ request, response }: Pick<Exchange, 'request' | 'response'>): void => {
  if (response.writableFinished) request.socket.destroy()
  else response.once('finish', () => request.socket.destroy())
}

/** Reads away what is left of a body, until its end; a client that goes on and on is cut off. */
export const drain = (exchange: Pick<Exchange, 'request' | 'response' | 'traffic'>): Promise<void> =>
  new Promise((resolve) => {
    const { request, traffic } = exchange
    if (request.complete || request.destroyed) return resolve()
    let left = DRAIN_BYTES
    const stop = (): void => {
      request.pause()
      cutOff(exchange)
      end()
    }
    const whole = setTimeout(stop, DRAIN_MS).unref()
    const idle = setTimeout(stop, IDLE_MS).unref()
    const end = (): void => {
      clearTimeout(whole)
      clearTimeout(idle)
      request.off('data', count)
      resolve()
    }
    const count = (chunk: Buffer): void => {
      left -= Math.max(chunk.length, LEAST_A_PIECE)
      traffic.received += chunk.length
      idle.refresh()
      if (left < 0) stop()
    }
    request.on('data', count).once('close', end).once('end', end)
    request.on('error', () => undefined)
    request.resume()
  })
