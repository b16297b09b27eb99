import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { fail } from '../core/failure.ts'

interface ParserError extends NodeJS.ErrnoException {
  readonly rawPacket?: Buffer
  readonly reason?: string
}

/** What Node's parser says of a byte that may not stand in an address, and of what follows a raw space in one. */
const isUnencoded = ({ code, reason = '' }: ParserError): boolean =>
  code === 'HPE_INVALID_URL' || (code === 'HPE_INVALID_CONSTANT' && reason.startsWith('Expected HTTP/'))

const PHRASES: Readonly<Record<number, string>> = { 400: 'Bad Request', 404: 'Not Found', 408: 'Request Timeout' }

const failureFor = (error: ParserError) => {
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') return fail('UPLOAD_TOO_SLOW')
  return fail(isUnencoded(error) ? 'URL_NOT_ENCODED' : 'REQUEST_MALFORMED')
}

/**
 * Answers HTTP that cannot be parsed (§1.4): a raw space or non-ASCII byte in the address gets a 404, headers that never
 * end a 408, the rest a 400. Where an answer has begun on the connection nothing may be written into it.
 */
export const answerMalformed = (server: Server): void => {
  const answering = new WeakMap<Socket, ServerResponse>()
  const note = (request: IncomingMessage, response: ServerResponse): void => {
    answering.set(request.socket, response)
  }
  server.on('request', note).on('checkContinue', note)
  server.on('clientError', (error: ParserError, socket: Socket) => {
    const before = answering.get(socket)
    const torn = before?.headersSent === true && !before.writableEnded
    if (!socket.writable || error.code === 'ECONNRESET' || torn) {
      socket.destroy()
      return
    }
    const { status, message } = failureFor(error)
    const body = `${message}\n`
    socket.end(
      `HTTP/1.1 ${status} ${PHRASES[status]}\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
    )
  })
}
