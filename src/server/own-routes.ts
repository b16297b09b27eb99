import { fail } from '../core/failure.ts'
import type { AppParts, Exchange } from './exchange.ts'
import { preflight } from './headers.ts'
import { openApiDocument } from './openapi.ts'
import { sendText } from './respond.ts'

/** Responds to a browser's preflight request (§1.8, §5.4). */
export const answerPreflight = ({ request, response, id }: Exchange): void => {
  const allowed = preflight(request.headers['access-control-request-headers'])
  response.writeHead(204, { ...allowed, 'X-Request-Id': id }).end()
}

/** A report of the service about itself. */
export interface OwnReport {
  readonly status: number
  readonly contentType: string
  readonly body: string
}

const TEXT = 'text/plain; charset=utf-8'

/** Whether the service accepts work. */
const readReadiness = async ({ phase, readiness }: Pick<AppParts, 'phase' | 'readiness'>): Promise<OwnReport> => {
  const obstacle = phase() === 'open' ? await readiness() : 'shutting down'
  return { status: obstacle === undefined ? 200 : 503, contentType: TEXT, body: `${obstacle ?? 'ok'}\n` }
}

/** Returns the reports by path: whether the process responds, whether it accepts work, and its metrics in Prometheus' text format. */
export const openReports = (
  parts: Pick<AppParts, 'metrics' | 'phase' | 'readiness'>,
): ReadonlyMap<string, () => OwnReport | Promise<OwnReport>> =>
  new Map<string, () => OwnReport | Promise<OwnReport>>([
    ['/-/live', () => ({ status: 200, contentType: TEXT, body: 'ok\n' })],
    ['/-/ready', () => readReadiness(parts)],
    ['/-/metrics', async () => ({ status: 200, ...(await parts.metrics.expose()) })],
  ])

/** Returns a route that sends the report of a path. Fails with NO_SUCH_PAGE for metrics on a separate port. */
export const answerReport =
  (path: string) =>
  async (exchange: Exchange, parts: AppParts): Promise<void> => {
    const report = openReports(parts).get(path)
    if (report === undefined || (path === '/-/metrics' && parts.site.metricsApart)) throw fail('NO_SUCH_PAGE')
    const result = report()
    // Sends a synchronous report synchronously, since the next data on the connection may not be HTTP.
    const { status, contentType, body } = result instanceof Promise ? await result : result
    sendText(exchange, { status, headers: { 'Content-Type': contentType, 'Cache-Control': 'no-store' }, body })
  }

/** The interface as OpenAPI 3.1. */
export const answerOpenApi = (exchange: Exchange, { site }: AppParts): void => {
  const body = JSON.stringify(openApiDocument({ base: exchange.base, version: site.version }))
  const headers = { 'Content-Type': 'application/json', 'Cache-Control': 'no-cache' }
  sendText(exchange, { status: 200, headers, body })
}
