/** The table of counters and histograms: one row per metric, with its name in Prometheus. */
import { Counter, Gauge, Histogram, type Registry } from 'prom-client'

interface Row {
  readonly name: string
  readonly help: string
  /** Labels with few values each, since every value is a time series. */
  readonly labels?: readonly string[]
}

/** Seconds: from a stored result (1 ms) to the timeout of HTTP clients (30 s), and longer for deferred work. */
const LATENCIES = [0.001, 0.005, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 25, 30, 60, 300]
const ENCODES = [0, 1, 2, 3, 5, 8, 13, 21, 34]
/** SSIMULACRA 2.1: low, medium and high aim between 45 and 90. */
const SCORES = [30, 40, 50, 55, 60, 65, 70, 75, 80, 85, 90, 95, 100]
/** Butteraugli's 3-norm. */
const DISTANCES = [0.25, 0.5, 0.75, 1, 1.25, 1.5, 2, 2.5, 3, 4, 6]

const COUNTERS = {
  requests: { name: 'whittle_requests_total', help: 'Requests answered.', labels: ['route', 'status'] },
  failures: {
    name: 'whittle_failures_total',
    help: 'Requests answered with a failure, by its name (docs/errors.md): why there was a 503, for example.',
    labels: ['failure'],
  },
  received: { name: 'whittle_received_bytes_total', help: 'Body bytes sent by clients.' },
  sent: { name: 'whittle_sent_bytes_total', help: 'Body bytes sent to clients.' },
  results: { name: 'whittle_results_total', help: 'Results made.', labels: ['format'] },
  sourceBytes: {
    name: 'whittle_source_bytes_total',
    help: 'What the sources of all results weighed.',
    labels: ['format'],
  },
  resultBytes: { name: 'whittle_result_bytes_total', help: 'What all results weighed.', labels: ['format'] },
  saved: { name: 'whittle_saved_bytes_total', help: 'Bytes by which results were smaller than their sources.' },
  cache: {
    name: 'whittle_result_cache_total',
    help: 'Images answered, by whether their result was stored already (hit) or had to be made (miss).',
    labels: ['outcome'],
  },
  fetchErrors: {
    name: 'whittle_fetch_errors_total',
    help: 'Sources that could not be fetched, by the name of the failure (docs/errors.md).',
    labels: ['kind'],
  },
  accountImages: {
    name: 'whittle_account_images_total',
    help: 'Images answered, by account; of METRICS_ACCOUNTS accounts by name, of all others together.',
    labels: ['account'],
  },
  accountSaved: {
    name: 'whittle_account_saved_bytes_total',
    help: 'Bytes by which images answered were smaller than their sources, by account.',
    labels: ['account'],
  },
  missed: {
    name: 'whittle_missed_targets_total',
    help: 'Results that were measured and did not reach their quality target.',
    labels: ['format'],
  },
  takenOver: { name: 'whittle_jobs_taken_over_total', help: 'Jobs of nodes that died, done by this node.' },
  sweepErrors: {
    name: 'whittle_sweep_errors_total',
    help: 'Sweeps that could not list or remove old results in the bucket.',
  },
  progress: {
    name: 'whittle_progress_steps_total',
    help: 'Steps done by animations and video, such as frames encoded.',
    labels: ['phase'],
  },
} as const satisfies Readonly<Record<string, Row>>

const HISTOGRAMS = {
  latency: {
    name: 'whittle_request_seconds',
    help: 'From the arrival of a request to the end of its answer.',
    labels: ['route'],
    buckets: LATENCIES,
  },
  stages: {
    name: 'whittle_stage_seconds',
    help: 'Time spent in each stage of the work.',
    labels: ['stage'],
    buckets: LATENCIES,
  },
  score: {
    name: 'whittle_result_score',
    help: 'SSIMULACRA 2.1 score of results that were measured.',
    labels: ['format'],
    buckets: SCORES,
  },
  butteraugli: {
    name: 'whittle_result_butteraugli',
    help: "Butteraugli's 3-norm of results that were measured.",
    labels: ['format'],
    buckets: DISTANCES,
  },
  encodes: {
    name: 'whittle_result_encodes',
    help: 'Full encodes that a result took.',
    labels: ['format'],
    buckets: ENCODES,
  },
} as const satisfies Readonly<Record<string, Row & { readonly buckets: number[] }>>

const STORE_UP = {
  name: 'whittle_store_up',
  help: 'Whether a store that nodes share (accounts, results, jobs) answers: 1, or 0 while it is away.',
  labelNames: ['store'],
} as const

/** The labels of a row. */
type LabelOf<R> = R extends { readonly labels: readonly (infer Label extends string)[] } ? Label : never

/** A metric for every row, typed by its labels. */
export type Series = { readonly [K in keyof typeof COUNTERS]: Counter<LabelOf<(typeof COUNTERS)[K]>> } & {
  readonly [K in keyof typeof HISTOGRAMS]: Histogram<LabelOf<(typeof HISTOGRAMS)[K]>>
} & { readonly storeUp: Gauge<'store'> }

/** Registers a metric for every row. */
export const openSeries = (registry: Registry): Series => {
  const registers = [registry]
  const counters = Object.entries<Row>(COUNTERS).map(([key, { labels = [], ...row }]) => [
    key,
    new Counter({ ...row, labelNames: labels, registers }),
  ])
  const histograms = Object.entries(HISTOGRAMS).map(([key, { labels, ...row }]) => [
    key,
    new Histogram({ ...row, labelNames: labels, registers }),
  ])
  const storeUp = new Gauge({ ...STORE_UP, registers })
  // Object.entries loses the types of the labels.
  return { ...Object.fromEntries([...counters, ...histograms]), storeUp } as Series
}
