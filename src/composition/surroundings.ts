import { resolve } from 'node:path'
import { openPinoLog } from '../adapters/telemetry/pino.ts'
import { openPrometheusMetrics, type PrometheusMetrics } from '../adapters/telemetry/prometheus.ts'
import type { Log } from '../ports/telemetry.ts'
import type { Settings } from '../settings/settings.ts'
import { type DataDirectory, openDataDirectory } from '../start/data-directory.ts'

export interface ServeOptions {
  readonly settings: Settings
  /** Opens the account `demo` (see service/demo.ts). */
  readonly demo: boolean
  readonly version: string
  readonly log?: Log
}

/** What most parts are told of. */
export interface Surroundings {
  readonly settings: Settings
  readonly version: string
  readonly log: Log
  readonly metrics: PrometheusMetrics
  readonly directory: DataDirectory
}

export const openSurroundings = async ({ settings, version, log }: ServeOptions): Promise<Surroundings> => ({
  settings,
  version,
  log: log ?? openPinoLog({ level: settings.logLevel }),
  metrics: openPrometheusMetrics({ version, namedAccounts: settings.metricsAccounts }),
  directory: await openDataDirectory(resolve(settings.dataDir)),
})
