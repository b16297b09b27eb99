import { createServer, type Server, type ServerResponse } from 'node:http'
import { STALLED_MS } from '../core/intervals.ts'
import type { AppParts } from './exchange.ts'
import { type OwnReport, openReports } from './own-routes.ts'

/** Maximum open connections, more than Prometheus servers and probes need. */
const MAX_CONNECTIONS = 100

const send = (response: ServerResponse, { status, contentType, body }: OwnReport): void => {
  const length = Buffer.byteLength(body)
  const headers = { 'Content-Type': contentType, 'Content-Length': length, 'Cache-Control': 'no-store' }
  response.writeHead(status, headers).end(response.req.method === 'HEAD' ? undefined : body)
}

const NOTHING: OwnReport = { status: 404, contentType: 'text/plain; charset=utf-8', body: 'There is nothing here.\n' }

/** Creates the server of METRICS_PORT: `/-/metrics`, `/-/live` and `/-/ready` by GET and HEAD. */
export const createMetricsServer = (parts: Pick<AppParts, 'metrics' | 'phase' | 'readiness'>): Server => {
  const reports = openReports(parts)
  const server = createServer(async ({ method = '', url = '' }, response) => {
    const report = ['GET', 'HEAD'].includes(method) ? reports.get(url.split('?', 1)[0] ?? '') : undefined
    try {
      send(response, report === undefined ? NOTHING : await report())
    } catch {
      response.destroy()
    }
  })
  server.requestTimeout = STALLED_MS
  server.headersTimeout = STALLED_MS
  server.maxConnections = MAX_CONNECTIONS
  return server
}
