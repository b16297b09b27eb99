import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Writable } from 'node:stream'
import { type Failure, fail } from '../core/failure.ts'

interface ParserError extends NodeJS.ErrnoException {
  readonly rawPacket?: Buffer
  readonly reason?: string
}

/** What Node's parser says of a byte that may not stand in an address, and of what follows a raw space in one. */
const isUnencoded = ({ code, reason = '' }: ParserError): boolean =>
  code === 'HPE_INVALID_URL' || (code === 'HPE_INVALID_CONSTANT' && reason.startsWith('Expected HTTP/'))

const PHRASES: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  404: 'Not Found',
  405: 'Method Not Allowed',
  408: 'Request Timeout',
}

/** An answer on a bare socket, after which it ends. */
const endWith = (socket: Writable, { status, message }: Failure, more = ''): void => {
  const body = `${message}\n`
  socket.end(
    `HTTP/1.1 ${status} ${PHRASES[status]}\r\n${more}Content-Type: text/plain; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  )
}

const failureFor = (error: ParserError) => {
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') return fail('UPLOAD_TOO_SLOW')
  return fail(isUnencoded(error) ? 'URL_NOT_ENCODED' : 'REQUEST_MALFORMED')
}

/**
 * Answers HTTP that cannot be parsed (§1.4): a raw space or non-ASCII byte in the address gets a 404, headers that never
 * end a 408, CONNECT a 405, the rest a 400. Where an answer has begun on the connection nothing may be written into it.
 */
export const answerMalformed = (server: Server): void => {
  const answering = new WeakMap<Socket, ServerResponse>()
  const note = (request: IncomingMessage, response: ServerResponse): void => {
    answering.set(request.socket, response)
  }
  server.on('request', note).on('checkContinue', note)
  // It is no proxy; without an answer the client would wait for one.
  server.on('connect', (_request, socket) => {
    socket.on('error', () => undefined)
    endWith(socket, fail('METHOD_NOT_ALLOWED', 'POST'), 'Allow: POST\r\n')
  })
  server.on('clientError', (error: ParserError, socket: Socket) => {
    const before = answering.get(socket)
    const torn = before?.headersSent === true && !before.writableEnded
    if (!socket.writable || error.code === 'ECONNRESET' || torn) {
      socket.destroy()
      return
    }
    endWith(socket, failureFor(error))
  })
}
