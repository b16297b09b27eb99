import type { ServerResponse } from 'node:http'
import { PIECE_BYTES } from '../core/piece-bytes.ts'
import type { Traffic } from './exchange.ts'

/** The body of a response. */
export type Body = Uint8Array | NodeJS.ReadableStream

/** ms within which a client must receive one piece. */
const PIECE_MS = 20_000

async function* piecesOf(body: Body): AsyncGenerator<Uint8Array> {
  if (!(body instanceof Uint8Array)) {
    for await (const chunk of body) yield* piecesOf(chunk as Buffer)
    return
  }
  for (let at = 0; at < body.length; at += PIECE_BYTES) yield body.subarray(at, at + PIECE_BYTES)
}

/** Waits until the connection accepts more, or has sent everything. Resolves with false if the client disconnects or is too slow. */
const waitForClient = (response: ServerResponse, event: 'drain' | 'finish', pieceMs: number): Promise<boolean> => {
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const settle = (isOpen: boolean): void => {
    clearTimeout(timer)
    response.off(event, done).off('close', gone)
    resolve(isOpen)
  }
  const done = (): void => settle(true)
  const gone = (): void => settle(false)
  const timer = setTimeout(gone, pieceMs)
  response.once(event, done).once('close', gone)
  return promise
}

/**
 * Sends a body in pieces. Disconnects a client that reads less than 64 KB in 20 s: it could occupy memory, a file and a connection
 * for ever.
 */
export const sendBody = async (
  { response, traffic }: { readonly response: ServerResponse; readonly traffic: Traffic },
  body: Body,
  pieceMs: number = PIECE_MS,
): Promise<void> => {
  for await (const piece of piecesOf(body)) {
    if (response.destroyed) return
    traffic.sent += piece.length
    if (response.write(piece) || (await waitForClient(response, 'drain', pieceMs))) continue
    response.destroy()
    return
  }
  response.end()
  if (!response.writableFinished && !(await waitForClient(response, 'finish', pieceMs))) response.destroy()
}
