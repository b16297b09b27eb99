import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Deferred } from '../jobs/deferred.ts'
import type { Log, Metrics } from '../ports/telemetry.ts'
import type { Readiness } from '../service/readiness.ts'
import type { Service } from '../service/service.ts'
import { type Address, splitTarget } from './address.ts'
import { baseAddress, type Client, clientOf, requestId, type trustRule } from './client.ts'

/** Where the service is reached, and what it expects of clients. */
export interface Site {
  readonly publicUrl: string | undefined
  /** Path before all addresses, without a slash at its end. */
  readonly pathPrefix: string
  /** How many of the hops that a request came through are proxies of ours; see {@link clientOf}. */
  readonly countProxies: ReturnType<typeof trustRule>
  /** Header in which a proxy of ours names requests, in lower case. */
  readonly requestIdHeader: string | undefined
  readonly beyondLoopback: boolean
  /** Whether the playground is at the base address; auto: for whoever sits at this machine. */
  readonly playground: 'on' | 'off' | 'auto'
  readonly version: string
  readonly redirectAfterMs: number
  readonly uploadTimeoutMs: number
  readonly spoolDirectory: string
  /** Connections at once; more are closed unheard. */
  readonly maxConnections: number
}

/** What the HTTP server is put together from. */
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
  readonly readiness: Readiness
}

/** One request and its response, with what every route wants to know of them. */
export interface Exchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  /** Names the request in the log, in `X-Request-Id` and in its reservation of quota. */
  readonly id: string
  readonly method: string
  readonly accept: string | undefined
  /** The request target, split. */
  readonly address: Address
  /** `performance.now()` when the request arrived. */
  readonly arrived: number
  readonly client: Client
  /** Base address of the service as this client sees it, without a slash at its end. */
  readonly base: string
  /** Tells a client that waits for it (`Expect: 100-continue`) to send its body. */
  readonly sendContinue: () => void
  /** Whether the client still waits to be told so. */
  readonly awaitsContinue: () => boolean
  /** Bytes of bodies so far. */
  readonly traffic: Traffic
  /** What the log is told of the image that was answered; filled in when it is. */
  readonly image: ImageTold
}

/** An answered image as the log has it. */
export interface ImageTold {
  format?: string
  sourceBytes?: number
  /** The result was stored already. */
  cached?: boolean
  score?: number
  butteraugli?: number
}

/** Bytes of bodies that came from a client and were sent to it; counted up while they go. */
export interface Traffic {
  received: number
  sent: number
}

/** Path of the service on the origin that the client knows, without a slash at its end: where its pages find their files. */
export const rootOf = ({ base }: Pick<Exchange, 'base'>): string => new URL(base).pathname.replace(/\/$/, '')

/** Reads off a request what its routes need. */
export const openExchange = (
  request: IncomingMessage,
  response: ServerResponse,
  { site, sendContinue }: { readonly site: Site; readonly sendContinue: () => void },
): Exchange => {
  let awaits = request.headers.expect?.toLowerCase() === '100-continue'
  const client = clientOf(request, site.countProxies)
  return {
    request,
    response,
    id: requestId(request, client, site) ?? randomUUID(),
    method: request.method ?? 'GET',
    accept: request.headers.accept,
    address: splitTarget(request.url ?? '/', site.pathPrefix),
    arrived: performance.now(),
    client,
    base: baseAddress(request, client, site),
    sendContinue: () => {
      if (awaits) sendContinue()
      awaits = false
    },
    awaitsContinue: () => awaits,
    traffic: { received: 0, sent: 0 },
    image: {},
  }
}
