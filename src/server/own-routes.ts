import type { AppParts, Exchange } from './exchange.ts'
import { preflight } from './headers.ts'
import { openApiDocument } from './openapi.ts'
import { sendText } from './respond.ts'

const PLAIN = { 'Content-Type': 'text/plain; charset=utf-8', 'Cache-Control': 'no-store' }

/** Answers a browser that asks beforehand what it may send (§1.8, §5.4). */
export const answerPreflight = ({ request, response, id }: Exchange): void => {
  const allowed = preflight(request.headers['access-control-request-headers'])
  response.writeHead(204, { ...allowed, 'X-Request-Id': id }).end()
}

/** Says that the process answers at all. */
export const answerLive = (exchange: Exchange): void =>
  sendText(exchange, { status: 200, headers: PLAIN, body: 'ok\n' })

/** Says whether new work is taken. */
export const answerReady = async (exchange: Exchange, { isOpen, readiness }: AppParts): Promise<void> => {
  const obstacle = isOpen() ? await readiness() : 'shutting down'
  const status = obstacle === undefined ? 200 : 503
  sendText(exchange, { status, headers: PLAIN, body: `${obstacle ?? 'ok'}\n` })
}

/** Metrics in Prometheus' text format. */
export const answerMetrics = async (exchange: Exchange, { metrics }: AppParts): Promise<void> => {
  const { contentType, body } = await metrics.expose()
  sendText(exchange, { status: 200, headers: { ...PLAIN, 'Content-Type': contentType }, body })
}

/** The interface as OpenAPI 3.1. */
export const answerOpenApi = (exchange: Exchange, { site }: AppParts): void => {
  const body = JSON.stringify(openApiDocument({ base: exchange.base, version: site.version }))
  const headers = { 'Content-Type': 'application/json', 'Cache-Control': 'no-cache' }
  sendText(exchange, { status: 200, headers, body })
}
