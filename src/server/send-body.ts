import type { ServerResponse } from 'node:http'
import type { Traffic } from './exchange.ts'

/** A body as it is answered: bytes, or a stream of them. */
export type Body = Uint8Array | NodeJS.ReadableStream

/** Bytes that are handed to the connection at once: what a client that reads nothing may hold of a stream. */
const PIECE_BYTES = 65_536
/** ms in which a client takes one piece; one that takes longer is cut off. */
const PIECE_MS = 20_000

async function* piecesOf(body: Body): AsyncGenerator<Uint8Array> {
  if (!(body instanceof Uint8Array)) {
    for await (const chunk of body) yield* piecesOf(chunk as Buffer)
    return
  }
  for (let at = 0; at < body.length; at += PIECE_BYTES) yield body.subarray(at, at + PIECE_BYTES)
}

/** Waits until the connection takes more, or has taken all; false when the client has gone, or takes too long. */
const isTaken = (response: ServerResponse, event: 'drain' | 'finish', pieceMs: number): Promise<boolean> => {
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const settle = (taken: boolean): void => {
    clearTimeout(timer)
    response.off(event, done).off('close', gone)
    resolve(taken)
  }
  const done = (): void => settle(true)
  const gone = (): void => settle(false)
  const timer = setTimeout(gone, pieceMs)
  response.once(event, done).once('close', gone)
  return promise
}

/**
 * Sends a body piece by piece. A client that reads too slowly (64 KB in 20 s) is cut off: it would hold memory, a file and a
 * connection for as long as it likes.
 */
export const sendBody = async (
  { response, traffic }: { readonly response: ServerResponse; readonly traffic: Traffic },
  body: Body,
  pieceMs: number = PIECE_MS,
): Promise<void> => {
  for await (const piece of piecesOf(body)) {
    if (response.destroyed) return
    traffic.sent += piece.length
    if (response.write(piece) || (await isTaken(response, 'drain', pieceMs))) continue
    response.destroy()
    return
  }
  response.end()
  if (!response.writableFinished && !(await isTaken(response, 'finish', pieceMs))) response.destroy()
}
