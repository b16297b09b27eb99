import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { Failure, fail } from '../core/failure.ts'
import type { Answer } from '../jobs/answer.ts'
import type { Deferred } from '../jobs/deferred.ts'
import type { Log, Metrics } from '../ports/telemetry.ts'
import { type OptimiseRequest, optimiseImage, type Service } from '../service/optimise-image.ts'
import { receiveUpload } from '../source/upload.ts'
import { splitTarget } from './address.ts'
import { baseAddress, isForwarded } from './client.ts'
import { explain } from './explain.ts'
import { explainPage } from './explain-page.ts'
import { names, preflight } from './headers.ts'
import { answerMalformed } from './malformed.ts'
import { homePage, PAGE_HEADERS } from './pages.ts'
import { type Asked, sendAnswer, sendFailure, sendText } from './respond.ts'

export interface Site {
  readonly publicUrl: string | undefined
  /** Path before all addresses, without a slash at its end. */
  readonly pathPrefix: string
  readonly trusts: (request: IncomingMessage) => boolean
  readonly beyondLoopback: boolean
  readonly redirectAfterMs: number
  readonly uploadTimeoutMs: number
  readonly spoolDirectory: string
}

export interface AppParts {
  readonly site: Site
  readonly service: Service
  readonly deferred: Deferred
  readonly log: Log
  readonly metrics: Metrics & {
    readonly expose: () => Promise<{ readonly contentType: string; readonly body: string }>
  }
  /** Whether new work is taken: false while shutting down. */
  readonly isOpen: () => boolean
}

/** Everything about one exchange. */
interface Exchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly asked: Asked
  readonly arrived: number
  readonly base: string
  /** Tells a client that waits for it (`Expect: 100-continue`) to send its body. */
  readonly goOn: () => void
}

/** Bytes of an unwanted body that are still read after an error, so that the client gets to see the answer. */
const DRAIN_BYTES = 1_000_000
const DRAIN_MS = 2000

/** Reads away what is left of a body; a client that goes on and on is cut off. */
const drain = (request: IncomingMessage): void => {
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

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0

/** What logs and metrics call the status of a request whose client did not wait for the answer. */
const CLIENT_GONE = 499

/** A timer that can be raced against, and called off. */
const after = (ms: number): { readonly over: Promise<'over'>; readonly cancel: () => void } => {
  const { promise, resolve } = Promise.withResolvers<'over'>()
  const timer = setTimeout(() => resolve('over'), Math.max(0, ms))
  return { over: promise, cancel: () => clearTimeout(timer) }
}

/** Every response starts by then (§5.1), whatever the limits of fetching are set to. */
const LATEST_START_MS = 25_000
/** How long the result address waits for work under way: less than what HTTP clients wait for. */
const RESULT_WAIT_MS = 20_000

const RESULT = /^\/-\/results\/([0-9a-f]{32})$/

/** Makes the HTTP server of the service; it does not listen yet. */
export const createApp = (parts: AppParts): Server => {
  const { site, service, deferred, log, metrics } = parts

  const serviceRequest = (
    exchange: Exchange,
    address: { username: string; options: string | undefined; imageUrl: string | undefined },
  ): Omit<OptimiseRequest, 'signal' | 'onSource'> => {
    const { request, asked, goOn } = exchange
    return {
      id: asked.id,
      ...address,
      accept: { webp: names(asked.accept, 'image/webp'), avif: names(asked.accept, 'image/avif') },
      origin: { beyondLoopback: site.beyondLoopback, forwarded: isForwarded(request) },
      receive: ({ maxBytes, signal }) => {
        if (request.headers['content-type'] === undefined && !hasBody(request)) throw fail('IMAGE_URL_MISSING')
        goOn()
        const { spoolDirectory, uploadTimeoutMs } = site
        return receiveUpload(request, { spoolDirectory, maxBytes, signal, timeoutMs: uploadTimeoutMs })
      },
    }
  }

  /** The answer in time, or the promise of one at a result address (§5.1). */
  const inTime = async (exchange: Exchange, address: Parameters<typeof serviceRequest>[1]): Promise<Answer> => {
    const { response, arrived } = exchange
    const gone = new AbortController()
    let detached = false
    response.once('close', () => {
      if (!detached && !response.writableFinished) gone.abort(new Error('the client has gone'))
    })
    const { promise: sourceInHand, resolve: onSource } = Promise.withResolvers<'over'>()
    const answer = optimiseImage(service, {
      ...serviceRequest(exchange, address),
      signal: gone.signal,
      onSource: () => onSource('over'),
    })
    const waited = performance.now() - arrived
    const patience = after(site.redirectAfterMs - waited)
    const atLatest = after(LATEST_START_MS - waited)
    try {
      const late = Promise.all([patience.over, sourceInHand]).then(() => 'over' as const)
      // An upload comes with the request itself; a fetch can go on without it.
      const first = await Promise.race([answer, late, ...(address.imageUrl === undefined ? [] : [atLatest.over])])
      if (first !== 'over') return first
    } finally {
      patience.cancel()
      atLatest.cancel()
    }
    detached = true
    return { kind: 'redirect', to: { kind: 'result', token: deferred.keep(answer) }, warnings: [], stages: {} }
  }

  const optimise = async (exchange: Exchange, address: Parameters<typeof serviceRequest>[1]): Promise<void> => {
    const { request, response, asked } = exchange
    if (!parts.isOpen()) throw fail('SHUTTING_DOWN')
    await sendAnswer(response, asked, await inTime(exchange, address))
    drain(request)
  }

  const result = async ({ response, asked, request }: Exchange, token: string): Promise<void> => {
    if (!['GET', 'HEAD', 'POST'].includes(asked.method)) throw fail('METHOD_NOT_ALLOWED', 'GET, HEAD or POST')
    const waiting = new AbortController()
    const patience = setTimeout(() => waiting.abort(), RESULT_WAIT_MS)
    response.once('close', () => waiting.abort())
    try {
      const answer = await deferred.find(token, waiting.signal)
      const again: Answer = { kind: 'redirect', to: { kind: 'result', token }, warnings: [], stages: {} }
      await sendAnswer(response, asked, answer ?? again)
    } finally {
      clearTimeout(patience)
      drain(request)
    }
  }

  const plain = { 'Content-Type': 'text/plain; charset=utf-8', 'Cache-Control': 'no-store' }
  const reading = (asked: Asked): void => {
    if (asked.method !== 'GET' && asked.method !== 'HEAD') throw fail('METHOD_NOT_ALLOWED', 'GET')
  }

  const own = async (exchange: Exchange, path: string): Promise<void> => {
    const { response, asked } = exchange
    const token = RESULT.exec(path)?.[1]
    if (token !== undefined) return result(exchange, token)
    if (path.startsWith('/-/results/')) throw fail('RESULT_GONE')
    if (path === '/-/live' || path === '/-/ready') {
      reading(asked)
      const fine = path === '/-/live' || parts.isOpen()
      return sendText(response, asked, fine ? 200 : 503, plain, fine ? 'ok\n' : 'shutting down\n')
    }
    if (path === '/-/metrics') {
      reading(asked)
      const { contentType, body } = await metrics.expose()
      return sendText(response, asked, 200, { ...plain, 'Content-Type': contentType }, body)
    }
    throw fail('NO_SUCH_PAGE')
  }

  const explained = async (exchange: Exchange, address: Parameters<typeof serviceRequest>[1]): Promise<void> => {
    const { request, response, asked, base } = exchange
    const { receive: _receive, ...question } = serviceRequest(exchange, address)
    const target = (request.url ?? '/').slice(0, 4000)
    const path =
      site.pathPrefix !== '' && target.startsWith(`${site.pathPrefix}/`) ? target.slice(site.pathPrefix.length) : target
    const told = await explain(service, { ...question, signal: AbortSignal.timeout(10_000) }, base + path)
    sendText(response, asked, told.status, PAGE_HEADERS, explainPage(told))
  }

  const route = async (exchange: Exchange): Promise<string> => {
    const { request, response, asked } = exchange
    if (request.httpVersion === '1.1' && request.headers.host === undefined) throw fail('REQUEST_MALFORMED')
    const address = splitTarget(request.url ?? '/', site.pathPrefix)
    if (asked.method === 'OPTIONS') {
      response
        .writeHead(204, { ...preflight(request.headers['access-control-request-headers']), 'X-Request-Id': asked.id })
        .end()
      return 'preflight'
    }
    switch (address.kind) {
      case 'home':
        if (asked.method === 'POST') throw fail('USERNAME_MISSING')
        reading(asked)
        sendText(response, asked, 200, PAGE_HEADERS, homePage(exchange.base))
        return 'home'
      case 'own':
        await own(exchange, address.path)
        return address.path.startsWith('/-/results/') ? 'result' : 'own'
      case 'image':
        if (asked.method === 'POST') {
          await optimise(exchange, address)
          return 'optimise'
        }
        if ((asked.method !== 'GET' && asked.method !== 'HEAD') || !names(asked.accept, 'text/html'))
          throw fail('METHOD_NOT_ALLOWED', 'POST')
        await explained(exchange, address)
        return 'explain'
    }
  }

  const failed = ({ request, response, asked }: Exchange, error: unknown, requestLog: Log): void => {
    if (response.headersSent || response.destroyed) {
      response.destroy()
      return
    }
    const expected = error instanceof Failure
    if (!expected) requestLog.error({ err: error }, 'a fault of ours')
    const failure = expected ? error : fail('SERVER_FAULT', asked.id)
    if (failure.code === 'REQUEST_MALFORMED' || (!request.complete && hasBody(request)))
      response.shouldKeepAlive = false
    const allow = failure.code === 'METHOD_NOT_ALLOWED' ? String(failure.args[0]).replace(' or ', ', ') : undefined
    sendFailure(response, asked, failure, allow)
    drain(request)
  }

  const routeName = ({ request }: Exchange): string => {
    const { kind } = splitTarget(request.url ?? '/', site.pathPrefix)
    return kind === 'image' ? 'optimise' : kind
  }

  const handle = async (request: IncomingMessage, response: ServerResponse, goOn: () => void): Promise<void> => {
    const arrived = performance.now()
    const { socket } = request
    const writtenBefore = socket.bytesWritten
    const base = baseAddress(request, site)
    const id = randomUUID()
    const requestLog = log.child({ id })
    const asked: Asked = {
      id,
      method: request.method ?? 'GET',
      accept: request.headers.accept,
      ifNoneMatch: request.headers['if-none-match'],
      resultAddress: (token) => `${base}/-/results/${token}`,
    }
    const exchange: Exchange = { request, response, asked, arrived, base, goOn }
    let name = routeName(exchange)
    response.on('error', () => undefined)
    try {
      name = await route(exchange)
    } catch (error) {
      failed(exchange, error, requestLog)
    }
    const milliseconds = performance.now() - arrived
    const bytesOut = socket.bytesWritten - writtenBefore
    const status = response.headersSent ? response.statusCode : CLIENT_GONE
    metrics.answered({ route: name, status, milliseconds, bytesOut })
    const level = name === 'own' ? 'debug' : 'info'
    requestLog[level](
      {
        method: asked.method,
        target: request.url?.slice(0, 2000),
        status,
        ms: Math.round(milliseconds),
        bytes: bytesOut,
      },
      response.statusMessage ?? '',
    )
  }

  // Image addresses within addresses are long; uploads have their own time limits.
  const server = createServer({
    maxHeaderSize: 65_536,
    requestTimeout: 0,
    headersTimeout: 15_000,
    keepAliveTimeout: 65_000,
    noDelay: true,
    requireHostHeader: false, // answered in plain words below
  })
  const take = (request: IncomingMessage, response: ServerResponse, goOn: () => void): void => {
    handle(request, response, goOn).catch((error: unknown) => {
      log.error({ err: error }, 'a request could not even be answered')
      response.destroy()
    })
  }
  server.on('request', (request, response) => take(request, response, () => undefined))
  server.on('checkContinue', (request, response) => take(request, response, () => response.writeContinue()))
  answerMalformed(server)
  return server
}
