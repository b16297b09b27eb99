import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Writable } from 'node:stream'
import { type Failure, fail } from '../core/failure.ts'

interface ParserError extends NodeJS.ErrnoException {
  readonly rawPacket?: Buffer
  readonly reason?: string
}

/** Whether Node's parser rejected a byte of the address, or the text after a raw space in it. */
const isUnencoded = ({ code, reason = '' }: ParserError): boolean =>
  code === 'HPE_INVALID_URL' || (code === 'HPE_INVALID_CONSTANT' && reason.startsWith('Expected HTTP/'))

const PHRASES: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  404: 'Not Found',
  405: 'Method Not Allowed',
  408: 'Request Timeout',
}

/** Writes a response to a socket and closes it. */
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
 * Responds to HTTP that cannot be parsed (§1.4). A raw space or non-ASCII byte in the address gets 404, headers that never end 408, CONNECT
 * 405, and everything else 400. Writes nothing into a response that has begun on the connection.
 */
export const answerMalformed = (server: Server): void => {
  const responses = new WeakMap<Socket, ServerResponse>()
  const remember = (request: IncomingMessage, response: ServerResponse): void => {
    responses.set(request.socket, response)
  }
  server.on('request', remember).on('checkContinue', remember)
  // CONNECT is not supported. Without a response the client would wait for one.
  server.on('connect', (_request, socket) => {
    socket.on('error', () => undefined)
    endWith(socket, fail('METHOD_NOT_ALLOWED', 'POST'), 'Allow: POST\r\n')
  })
  server.on('clientError', (error: ParserError, socket: Socket) => {
    const response = responses.get(socket)
    const isPartlySent = response?.headersSent === true && !response.writableEnded
    if (!socket.writable || error.code === 'ECONNRESET' || isPartlySent) {
      socket.destroy()
      return
    }
    endWith(socket, failureFor(error))
  })
}
