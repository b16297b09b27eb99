import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { Failure, fail } from '../core/failure.ts'
import { MAX_SHOWN_ADDRESS_CHARS } from '../core/shown-text.ts'
import type { Log } from '../ports/telemetry.ts'
import { HOP_HEADER } from '../source/hop-header.ts'
import { exhaustedBy, exhaustion } from '../support/exhausted.ts'
import { describeAddress } from './describe-address.ts'
import { drain } from './drain.ts'
import { type AppParts, type Exchange, openExchange } from './exchange.ts'
import { answerMalformed } from './malformed.ts'
import { sendFailure } from './respond.ts'
import { findRoute, type Routed } from './routes.ts'

/** Status in logs and metrics for a request whose client disconnected before the response. */
const CLIENT_GONE = 499

const agentOf = ({ headers }: IncomingMessage): { readonly agent?: string } => {
  const agent = headers['user-agent']
  return agent === undefined ? {} : { agent: agent.slice(0, MAX_SHOWN_ADDRESS_CHARS) }
}

/** Returns the name of a request's route in logs and metrics. */
const nameOf = (routed: Routed): string => {
  if (routed.kind === 'route') return routed.route.name
  return routed.kind === 'wrong-method' ? routed.name : 'own'
}

/** Whether the request has exactly one Host, as HTTP/1.1 requires (RFC 9112, section 3.2). With two, a proxy and this server might choose different sites. */
const hasOneHost = ({ httpVersion, rawHeaders }: IncomingMessage): boolean => {
  const hosts = rawHeaders.filter((name, i) => i % 2 === 0 && name.toLowerCase() === 'host').length
  return hosts === 1 || (hosts === 0 && httpVersion !== '1.1')
}

const follow = async (exchange: Exchange, parts: AppParts, routed: Routed): Promise<void> => {
  const { request } = exchange
  if (!hasOneHost(request)) throw fail('REQUEST_MALFORMED')
  if (exchange.address.kind === 'image' && request.headers[HOP_HEADER] !== undefined) throw fail('FETCH_LOOP')
  if (routed.kind === 'nowhere') throw fail('NO_SUCH_PAGE')
  if (routed.kind === 'wrong-method') throw fail('METHOD_NOT_ALLOWED', ...routed.allowed)
  await routed.route.answer(exchange, parts)
}

const failureOf = (error: unknown, id: string): Failure =>
  error instanceof Failure ? error : (exhaustion(error) ?? fail('SERVER_FAULT', id))

const answerFailure = (exchange: Exchange, error: unknown, log: Log): void => {
  const { response, id } = exchange
  if (response.headersSent || response.destroyed) {
    response.destroy()
    return
  }
  const failure = failureOf(error, id)
  if (failure.code === 'SERVER_FAULT') log.error({ err: error }, 'a fault of ours')
  if (failure.code === 'NO_ROOM') log.error({ err: error }, exhaustedBy(error) ?? 'a child process had no room')
  // The client may still send a body, which could not be distinguished from its next request.
  if (failure.code === 'REQUEST_MALFORMED' || exchange.awaitsContinue()) response.shouldKeepAlive = false
  sendFailure(exchange, failure)
}

/** Answers one request, and reports it to log and metrics. */
const handle = async (exchange: Exchange, parts: AppParts): Promise<void> => {
  const { response, id, method } = exchange
  const log = parts.log.child({ id })
  const routed = findRoute(exchange)
  response.on('error', () => undefined)
  let failed: { readonly failure?: string } = {}
  try {
    await follow(exchange, parts, routed)
  } catch (error) {
    if (error instanceof Failure) failed = { failure: error.code }
    answerFailure(exchange, error, log)
  }
  const milliseconds = performance.now() - exchange.arrived
  const status = response.headersSent ? response.statusCode : CLIENT_GONE
  const route = nameOf(routed)
  const from = { from: exchange.client.address, ...agentOf(exchange.request) }
  const line = { method, ...describeAddress(exchange.address), ...from, status, ...failed }
  const fields = { ...line, ms: Math.round(milliseconds), bytes: exchange.traffic.sent, ...exchange.image }
  log[route === 'own' ? 'debug' : 'info'](fields, 'answered')
  await drain(exchange)
  const { received, sent } = exchange.traffic
  parts.metrics.answered({ route, status, ...failed, milliseconds, bytesIn: received, bytesOut: sent })
}

/** Creates the HTTP server of the service. It does not listen yet. */
export const createApp = (parts: AppParts): Server => {
  // Headers are large because image addresses are long. Uploads have their own time limits.
  const server = createServer({
    maxHeaderSize: 65_536,
    requestTimeout: 0,
    headersTimeout: 15_000,
    keepAliveTimeout: 65_000,
    noDelay: true,
    requireHostHeader: false, // the routes refuse requests without it, with an explanation
  })
  const accept = (request: IncomingMessage, response: ServerResponse, sendContinue: () => void): void => {
    const { site, log, phase } = parts
    // Proxies must not keep connections to a node that shuts down.
    if (phase() !== 'open') response.shouldKeepAlive = false
    // More bytes than announced would be read as the next response of the connection. It ends instead.
    response.strictContentLength = true
    handle(openExchange(request, response, { site, sendContinue }), parts).catch((error: unknown) => {
      log.error({ err: error }, 'a request could not even be answered')
      response.destroy()
    })
  }
  server.on('request', (request, response) => accept(request, response, () => undefined))
  server.on('checkContinue', (request, response) => accept(request, response, () => response.writeContinue()))
  // Without this Node answers an unknown expectation with an empty 417. It may be ignored (RFC 9110, section 10.1.1).
  server.on('checkExpectation', (request, response) => server.emit('request', request, response))
  server.maxConnections = parts.site.maxConnections
  // Node would drop the headers after the 2,000th, such as those that a proxy adds. `maxHeaderSize` is the limit.
  server.maxHeadersCount = 0
  answerMalformed(server)
  return server
}
