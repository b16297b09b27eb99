import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client'
import type { Metrics, Readings } from '../../ports/telemetry.ts'
import { openSeries } from './prometheus-series.ts'

/** Metrics for Prometheus. */
export interface PrometheusMetrics extends Metrics {
  /** Reports whether a shared store answers. */
  readonly storeUp: (store: string, up: boolean) => void
  /** Reports that this node takes over the job of a dead node. */
  readonly takenOver: () => void
  /** Reports that expired results could not be removed. */
  readonly sweepFailed: () => void
  /** Sets the source of current values. Replaces the previous one. */
  readonly watch: (read: () => Readings) => void
  /** The body of `/-/metrics`. */
  readonly expose: () => Promise<{ readonly contentType: string; readonly body: string }>
}

export interface PrometheusSettings {
  readonly version?: string
  /** Maximum accounts with their own label. Others have the label `other`. */
  readonly namedAccounts?: number
}

const IDLE: Readings = {
  queued: 0,
  busyWorkers: 0,
  workers: 0,
  restarts: 0,
  jobs: 0,
  detachedJobs: 0,
  oldestJobSeconds: 0,
  reservations: 0,
  journaled: 0,
}

const GAUGES = [
  { name: 'whittle_queue_depth', help: 'Images that wait for a child process.', of: 'queued' },
  { name: 'whittle_workers_busy', help: 'Child processes at work.', of: 'busyWorkers' },
  { name: 'whittle_workers', help: 'Child processes.', of: 'workers' },
  { name: 'whittle_jobs_under_way', help: 'Images that are being worked on or wait for it.', of: 'jobs' },
  { name: 'whittle_jobs_detached', help: 'Of these, what outlasts its request (303).', of: 'detachedJobs' },
  { name: 'whittle_jobs_oldest_seconds', help: 'Age of the oldest of these.', of: 'oldestJobSeconds' },
  { name: 'whittle_reservations_held', help: 'Images of quotas that requests of this node hold.', of: 'reservations' },
  {
    name: 'whittle_journal_entries',
    help: 'Charges that wait in charges.journal until the database answers.',
    of: 'journaled',
  },
] as const satisfies readonly { name: string; help: string; of: keyof Readings }[]

const PHASE_GAUGES = [
  { name: 'whittle_work_steps_done', help: 'Steps done by now in each phase of the work under way.', of: 'done' },
  { name: 'whittle_work_steps', help: 'Steps in all of each phase of the work under way.', of: 'of' },
] as const

const watchPhases = (registry: Registry, read: () => Readings): void => {
  for (const { name, help, of } of PHASE_GAUGES) {
    new Gauge({
      name,
      help,
      labelNames: ['phase'],
      registers: [registry],
      collect() {
        this.reset()
        for (const progress of read().phases ?? []) this.set({ phase: progress.phase }, progress[of])
      },
    })
  }
}

const watchReadings = (registry: Registry, read: () => Readings): void => {
  const registers = [registry]
  for (const { name, help, of } of GAUGES) {
    new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(read()[of])
      },
    })
  }
  new Counter({
    name: 'whittle_child_restarts_total',
    help: 'Child processes replaced because they crashed, hung or were cancelled.',
    registers,
    collect() {
      this.reset()
      this.inc(read().restarts)
    },
  })
}

/** Returns the label of an account. Only the first accounts have their own label, so that the number of series is bounded. */
const nameAccounts = (maxNamed: number): ((account: string) => string) => {
  const named = new Set<string>()
  return (account) => {
    if (named.size < maxNamed) named.add(account)
    return named.has(account) ? account : 'other'
  }
}

const setBuildInfo = (registry: Registry, version: string): void => {
  const build = new Gauge({
    name: 'whittle_build_info',
    help: 'Always 1; which version this is, on which Node.',
    labelNames: ['version', 'node'],
    registers: [registry],
  })
  build.set({ version, node: process.version }, 1)
}

/** Opens metrics in their own registry, so that two services in one process do not mix. */
export const openPrometheusMetrics = ({
  version = 'unknown',
  namedAccounts = 0,
}: PrometheusSettings = {}): PrometheusMetrics => {
  const registry = new Registry()
  const labelOf = nameAccounts(namedAccounts)
  setBuildInfo(registry, version)
  const series = openSeries(registry)
  let read = (): Readings => IDLE
  watchReadings(registry, () => read())
  watchPhases(registry, () => read())
  collectDefaultMetrics({ register: registry })
  return {
    answered: ({ route, status, failure, milliseconds, bytesIn = 0, bytesOut = 0 }) => {
      series.requests.inc({ route, status })
      if (failure !== undefined) series.failures.inc({ failure })
      series.latency.observe({ route }, milliseconds / 1000)
      series.received.inc(bytesIn)
      series.sent.inc(bytesOut)
    },
    stage: (name, milliseconds) => series.stages.observe({ stage: name }, milliseconds / 1000),
    optimised: ({ format, sourceBytes, resultBytes, encodes, meetsTarget, score, butteraugli }) => {
      series.results.inc({ format })
      series.sourceBytes.inc({ format }, sourceBytes)
      series.resultBytes.inc({ format }, resultBytes)
      series.saved.inc(Math.max(0, sourceBytes - resultBytes))
      series.encodes.observe({ format }, encodes)
      if (meetsTarget === false) series.missed.inc({ format })
      if (score !== undefined) series.score.observe({ format }, score)
      if (butteraugli !== undefined) series.butteraugli.observe({ format }, butteraugli)
    },
    served: ({ account, stored, sourceBytes, resultBytes }) => {
      const label = { account: labelOf(account) }
      series.cache.inc({ outcome: stored ? 'hit' : 'miss' })
      series.accountImages.inc(label)
      series.accountSaved.inc(label, Math.max(0, sourceBytes - resultBytes))
    },
    fetchFailed: (kind) => series.fetchErrors.inc({ kind }),
    takenOver: () => series.takenOver.inc(),
    sweepFailed: () => series.sweepErrors.inc(),
    storeUp: (store, up) => series.storeUp.set({ store }, up ? 1 : 0),
    advanced: (phase, steps) => series.progress.inc({ phase }, steps),
    watch: (next) => {
      read = next
    },
    expose: async () => ({ contentType: registry.contentType, body: await registry.metrics() }),
  }
}
