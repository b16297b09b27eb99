/** Starts and stops the service. */
import { resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createApp } from '../server/app.ts'
import type { AppParts, Phase } from '../server/exchange.ts'
import { createMetricsServer } from '../server/metrics-server.ts'
import { openReadiness } from '../service/readiness.ts'
import type { Settings } from '../settings/settings.ts'
import { type AppContext, openAppContext, type ServeOptions } from './app-context.ts'
import { compose, siteOf } from './compose.ts'
import { listen } from './listen.ts'
import { countExchanges, shutDown } from './shut-down.ts'

const hasOtherNodes = ({ databaseUrl, redisUrl }: Settings): boolean =>
  databaseUrl !== undefined || redisUrl !== undefined

export interface Running {
  /** Address of the service, without a slash at its end. */
  readonly address: string
  /** Address of the metrics, if METRICS_PORT is set. */
  readonly metricsAddress?: string
  /** Stops gracefully: refuses new work, and completes running work within the grace period of the settings. */
  readonly stop: () => Promise<void>
}

/** Listens on METRICS_PORT, if it is set. Fails with a StartProblem. */
const serveMetrics = async (
  { settings, metrics }: AppContext,
  parts: Pick<AppParts, 'phase' | 'readiness'>,
): Promise<{ readonly metricsAddress?: string; readonly close: () => void }> => {
  const { metricsPort: port, host } = settings
  if (port === undefined) return { close: () => undefined }
  const server = createMetricsServer({ ...parts, metrics })
  const address = await listen(server, { host, port, pathPrefix: '', setBy: 'METRICS_PORT' })
  const close = (): void => {
    server.close()
    server.closeAllConnections()
  }
  return { metricsAddress: `${address}/-/metrics`, close }
}

/** Assembles and starts the service. Fails with a StartProblem. */
export const serve = async (options: ServeOptions): Promise<Running> => {
  const context = await openAppContext(options)
  const { settings, log, metrics, directory } = context
  const composed = await compose(context, options.demo).catch((error: unknown) => {
    directory.close()
    throw error
  })
  const { service, deferred, stores } = composed
  let phase: Phase = 'open'
  const readiness = openReadiness(directory.spool, stores.accounts.ping)
  const site = siteOf(context)
  const server = createApp({ site, service, deferred, log, metrics, phase: () => phase, readiness })
  // Health checks and result addresses are answered until all work has ended.
  const exchanges = countExchanges(server)
  const closeOnFailure = async (error: unknown): Promise<never> => {
    await composed.close()
    throw error
  }
  const { close: closeMetrics, ...apart } = await serveMetrics(context, { phase: () => phase, readiness }).catch(
    closeOnFailure,
  )
  const address = await listen(server, settings).catch((error: unknown) => {
    closeMetrics()
    return closeOnFailure(error)
  })
  log.info({ address, ...apart, dataDir: resolve(settings.dataDir), version: options.version }, 'listening')
  if (!options.demo && (await stores.accounts.list()).length === 0)
    log.warn(
      settings.databaseUrl === undefined ? { dataDir: resolve(settings.dataDir) } : {},
      `there are no accounts in ${settings.databaseUrl === undefined ? 'this DATA_DIR' : 'the database of DATABASE_URL'}, so every request gets 403. Add one: whittle accounts add <username>`,
    )
  const stop = async (): Promise<void> => {
    phase = 'leaving'
    log.info({ underWay: service.singleFlight.underWay() }, 'shutting down')
    if (hasOtherNodes(settings)) await sleep(settings.shutdownDelayMs)
    phase = 'closing'
    await shutDown(server, () => exchanges() + deferred.underWay(), settings.shutdownGraceMs)
    await composed.close()
    closeMetrics()
  }
  return { address, ...apart, stop }
}
