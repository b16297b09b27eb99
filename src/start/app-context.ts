import { resolve } from 'node:path'
import { openPinoLog } from '../adapters/telemetry/pino.ts'
import { openPrometheusMetrics, type PrometheusMetrics } from '../adapters/telemetry/prometheus.ts'
import { textLine } from '../adapters/telemetry/text-line.ts'
import type { Log } from '../ports/telemetry.ts'
import type { Settings } from '../settings/settings.ts'
import { type DataDirectory, openDataDirectory } from './data-directory.ts'

export interface ServeOptions {
  readonly settings: Settings
  /** Opens the account `demo` (see service/accounts/demo.ts). */
  readonly demo: boolean
  readonly version: string
  readonly log?: Log
}

/** Dependencies of most parts. */
export interface AppContext {
  readonly settings: Settings
  readonly version: string
  readonly log: Log
  readonly metrics: PrometheusMetrics
  readonly directory: DataDirectory
}

const isText = ({ logFormat }: Settings): boolean =>
  logFormat === 'text' || (logFormat === 'auto' && process.stdout.isTTY === true)

const TEXT = { write: (line: string): void => void process.stdout.write(textLine(line)) }
/** Keeps the order of log lines and of the command's output. pino's own destination is faster and does not. */
const IN_ORDER = { write: (line: string): void => void process.stdout.write(line) }

const destinationOf = (settings: Settings, demo: boolean) => {
  if (isText(settings)) return { destination: TEXT }
  return demo ? { destination: IN_ORDER } : {}
}

/** Opens the log, the metrics and the data directory. */
export const openAppContext = async ({ settings, version, log, demo }: ServeOptions): Promise<AppContext> => ({
  settings,
  version,
  log: log ?? openPinoLog({ level: settings.logLevel, ...destinationOf(settings, demo) }),
  metrics: openPrometheusMetrics({ version, namedAccounts: settings.metricsAccounts }),
  directory: await openDataDirectory(resolve(settings.dataDir)),
})
