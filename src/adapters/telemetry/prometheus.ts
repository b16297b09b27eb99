import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { Metrics, Readings } from '../../ports/telemetry.ts'

/** Metrics that can be read by Prometheus. */
export interface PrometheusMetrics extends Metrics {
  /** Whether a store that nodes share answers. */
  readonly storeUp: (store: string, up: boolean) => void
  /** A job of a node that died is done here. */
  readonly takenOver: () => void
  /** Says where to look for what is so at this moment; the last one counts. */
  readonly watch: (read: () => Readings) => void
  /** The page for `/-/metrics`. */
  readonly expose: () => Promise<{ readonly contentType: string; readonly body: string }>
}

/** Seconds. From a stored result (1 ms) to the longest that HTTP clients wait (30 s), and beyond it for deferred work. */
const LATENCIES = [0.001, 0.005, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 25, 30, 60, 300]
const ENCODES = [0, 1, 2, 3, 5, 8, 13, 21, 34]

/** SSIMULACRA 2.1: low, medium and high aim between 45 and 90. */
const SCORES = [30, 40, 50, 55, 60, 65, 70, 75, 80, 85, 90, 95, 100]
/** Butteraugli's 3-norm. */
const DISTANCES = [0.25, 0.5, 0.75, 1, 1.25, 1.5, 2, 2.5, 3, 4, 6]

export interface PrometheusSettings {
  readonly version?: string
  /** How many accounts are told apart by name; the others are `other`. Usernames are all that callers identify themselves by. */
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
}

const GAUGES = [
  { name: 'whittle_queue_depth', help: 'Images that wait for a child process.', of: 'queued' },
  { name: 'whittle_workers_busy', help: 'Child processes at work.', of: 'busyWorkers' },
  { name: 'whittle_workers', help: 'Child processes.', of: 'workers' },
  { name: 'whittle_jobs_under_way', help: 'Images that are being worked on or wait for it.', of: 'jobs' },
  { name: 'whittle_jobs_detached', help: 'Of these, what outlasts its request (303).', of: 'detachedJobs' },
  { name: 'whittle_jobs_oldest_seconds', help: 'Age of the oldest of these.', of: 'oldestJobSeconds' },
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

const makeCounters = (registers: Registry[]) => ({
  requests: new Counter({
    name: 'whittle_requests_total',
    help: 'Requests answered.',
    labelNames: ['route', 'status'],
    registers,
  }),
  latency: new Histogram({
    name: 'whittle_request_seconds',
    help: 'From the arrival of a request to the end of its answer.',
    labelNames: ['route'],
    buckets: LATENCIES,
    registers,
  }),
  stages: new Histogram({
    name: 'whittle_stage_seconds',
    help: 'Time spent in each stage of the work.',
    labelNames: ['stage'],
    buckets: LATENCIES,
    registers,
  }),
  received: new Counter({ name: 'whittle_received_bytes_total', help: 'Body bytes sent by clients.', registers }),
  sent: new Counter({ name: 'whittle_sent_bytes_total', help: 'Body bytes sent to clients.', registers }),
  results: new Counter({
    name: 'whittle_results_total',
    help: 'Results made.',
    labelNames: ['format'],
    registers,
  }),
  sourceBytes: new Counter({
    name: 'whittle_source_bytes_total',
    help: 'What the sources of all results weighed.',
    labelNames: ['format'],
    registers,
  }),
  resultBytes: new Counter({
    name: 'whittle_result_bytes_total',
    help: 'What all results weighed.',
    labelNames: ['format'],
    registers,
  }),
  saved: new Counter({
    name: 'whittle_saved_bytes_total',
    help: 'Bytes by which results were smaller than their sources.',
    registers,
  }),
  score: new Histogram({
    name: 'whittle_result_score',
    help: 'SSIMULACRA 2.1 score of results that were measured.',
    labelNames: ['format'],
    buckets: SCORES,
    registers,
  }),
  butteraugli: new Histogram({
    name: 'whittle_result_butteraugli',
    help: "Butteraugli's 3-norm of results that were measured.",
    labelNames: ['format'],
    buckets: DISTANCES,
    registers,
  }),
  cache: new Counter({
    name: 'whittle_result_cache_total',
    help: 'Images answered, by whether their result was stored already (hit) or had to be made (miss).',
    labelNames: ['outcome'],
    registers,
  }),
  fetchErrors: new Counter({
    name: 'whittle_fetch_errors_total',
    help: 'Sources that could not be fetched, by the name of the failure (docs/errors.md).',
    labelNames: ['kind'],
    registers,
  }),
  accountImages: new Counter({
    name: 'whittle_account_images_total',
    help: 'Images answered, by account; of METRICS_ACCOUNTS accounts by name, of all others together.',
    labelNames: ['account'],
    registers,
  }),
  accountSaved: new Counter({
    name: 'whittle_account_saved_bytes_total',
    help: 'Bytes by which images answered were smaller than their sources, by account.',
    labelNames: ['account'],
    registers,
  }),
  encodes: new Histogram({
    name: 'whittle_result_encodes',
    help: 'Full encodes that a result took.',
    labelNames: ['format'],
    buckets: ENCODES,
    registers,
  }),
  missed: new Counter({
    name: 'whittle_missed_targets_total',
    help: 'Results that were measured and did not reach their quality target.',
    labelNames: ['format'],
    registers,
  }),
  takenOver: new Counter({
    name: 'whittle_jobs_taken_over_total',
    help: 'Jobs of nodes that died, done by this node.',
    registers,
  }),
  storeUp: new Gauge({
    name: 'whittle_store_up',
    help: 'Whether a store that nodes share (accounts, results, jobs) answers: 1, or 0 while it is away.',
    labelNames: ['store'],
    registers,
  }),
  progress: new Counter({
    name: 'whittle_progress_steps_total',
    help: 'Steps done by animations and video, such as frames encoded.',
    labelNames: ['phase'],
    registers,
  }),
})

/** The accounts that come first are told by name, so that no number of them makes ever more series. */
const nameAccounts = (most: number): ((account: string) => string) => {
  const named = new Set<string>()
  return (account) => {
    if (named.size < most) named.add(account)
    return named.has(account) ? account : 'other'
  }
}

const tellBuild = (registry: Registry, version: string): void => {
  const build = new Gauge({
    name: 'whittle_build_info',
    help: 'Always 1; which version this is, on which Node.',
    labelNames: ['version', 'node'],
    registers: [registry],
  })
  build.set({ version, node: process.version }, 1)
}

/** Metrics in a registry of their own, so that two services in one process do not mix. */
export const openPrometheusMetrics = ({
  version = 'unknown',
  namedAccounts = 0,
}: PrometheusSettings = {}): PrometheusMetrics => {
  const registry = new Registry()
  const labelOf = nameAccounts(namedAccounts)
  tellBuild(registry, version)
  const counters = makeCounters([registry])
  let read = (): Readings => IDLE
  watchReadings(registry, () => read())
  watchPhases(registry, () => read())
  collectDefaultMetrics({ register: registry })
  return {
    answered: ({ route, status, milliseconds, bytesIn = 0, bytesOut = 0 }) => {
      counters.requests.inc({ route, status })
      counters.latency.observe({ route }, milliseconds / 1000)
      counters.received.inc(bytesIn)
      counters.sent.inc(bytesOut)
    },
    stage: (name, milliseconds) => counters.stages.observe({ stage: name }, milliseconds / 1000),
    optimised: ({ format, sourceBytes, resultBytes, encodes, meetsTarget, score, butteraugli }) => {
      counters.results.inc({ format })
      counters.sourceBytes.inc({ format }, sourceBytes)
      counters.resultBytes.inc({ format }, resultBytes)
      counters.saved.inc(Math.max(0, sourceBytes - resultBytes))
      counters.encodes.observe({ format }, encodes)
      if (meetsTarget === false) counters.missed.inc({ format })
      if (score !== undefined) counters.score.observe({ format }, score)
      if (butteraugli !== undefined) counters.butteraugli.observe({ format }, butteraugli)
    },
    served: ({ account, stored, sourceBytes, resultBytes }) => {
      const label = { account: labelOf(account) }
      counters.cache.inc({ outcome: stored ? 'hit' : 'miss' })
      counters.accountImages.inc(label)
      counters.accountSaved.inc(label, Math.max(0, sourceBytes - resultBytes))
    },
    fetchFailed: (kind) => counters.fetchErrors.inc({ kind }),
    takenOver: () => counters.takenOver.inc(),
    storeUp: (store, up) => counters.storeUp.set({ store }, up ? 1 : 0),
    advanced: (phase, steps) => counters.progress.inc({ phase }, steps),
    watch: (next) => {
      read = next
    },
    expose: async () => ({ contentType: registry.contentType, body: await registry.metrics() }),
  }
}
