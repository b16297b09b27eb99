import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Deferred } from '../jobs/deferred.ts'
import type { Log, Metrics } from '../ports/telemetry.ts'
import type { Readiness } from '../service/readiness.ts'
import type { Service } from '../service/service.ts'
import { type Address, splitTarget } from './address.ts'
import { baseAddress, type Client, clientOf, requestId, type trustRule } from './client.ts'

/** Addresses and limits of the service. */
export interface Site {
  readonly publicUrl: string | undefined
  /** Path before all addresses, without a slash at its end. */
  readonly pathPrefix: string
  /** Counts the trusted proxies among a request's hops; see {@link clientOf}. */
  readonly countProxies: ReturnType<typeof trustRule>
  /** Header with the request id of a trusted proxy, in lower case. */
  readonly requestIdHeader: string | undefined
  /** Whether the service listens on an address that other machines can reach. */
  readonly beyondLoopback: boolean
  /** Whether the base address shows the playground. `auto`: for clients on this machine only. */
  readonly playground: 'on' | 'off' | 'auto'
  /** Whether a separate port serves the metrics (METRICS_PORT). */
  readonly metricsApart: boolean
  readonly version: string
  /** ms after which a request gets a redirect to its result (§5.1). */
  readonly redirectAfterMs: number
  /** ms for the whole body of an upload. */
  readonly uploadTimeoutMs: number
  readonly spoolDirectory: string
  /** Maximum open connections. The server closes further ones at once. */
  readonly maxConnections: number
}

/** Phase of the service. `leaving`: not ready, but still accepts work. `closing`: refuses new work. */
export type Phase = 'open' | 'leaving' | 'closing'

/** Parts of the HTTP server. */
export interface AppParts {
  readonly site: Site
  readonly service: Service
  readonly deferred: Deferred
  readonly log: Log
  readonly metrics: Metrics & {
    readonly expose: () => Promise<{ readonly contentType: string; readonly body: string }>
  }
  readonly phase: () => Phase
  readonly readiness: Readiness
}

/** One request and its response, with facts that routes need. */
export interface Exchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  /** Identifies the request in the log, in `X-Request-Id` and in its reservation of quota. */
  readonly id: string
  readonly method: string
  readonly accept: string | undefined
  /** The parsed request target. */
  readonly address: Address
  /** `performance.now()` when the request arrived. */
  readonly arrived: number
  readonly client: Client
  /** Base address of the service as this client sees it, without a slash at its end. */
  readonly base: string
  /** Sends `100 Continue` to a client that waits for it (`Expect: 100-continue`). */
  readonly sendContinue: () => void
  /** Whether the client still waits for `100 Continue`. */
  readonly awaitsContinue: () => boolean
  /** Body bytes so far. */
  readonly traffic: Traffic
  /** Facts about the returned image for the log, set when the image is sent. */
  readonly image: LoggedImage
}

/** A returned image in the log. */
export interface LoggedImage {
  format?: string
  sourceBytes?: number
  /** Whether the result was already stored. */
  cached?: boolean
  score?: number
  butteraugli?: number
}

/** Body bytes received from and sent to a client, counted while they are transferred. */
export interface Traffic {
  received: number
  sent: number
}

/** Path of the service on the client's origin, without a slash at its end. Its pages load their files below it. */
export const rootOf = ({ base }: Pick<Exchange, 'base'>): string => new URL(base).pathname.replace(/\/$/, '')

/** Collects the facts about a request. */
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
