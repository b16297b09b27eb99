import { availableParallelism } from 'node:os'
import { EFFORT_LEVELS, type Effort } from '../core/effort.ts'
import { LATEST_START_MS } from '../core/intervals.ts'
import { HOUR_MS } from '../core/units.ts'
import {
  baseUrl,
  byteCount,
  cidrList,
  filePath,
  headerName,
  listenHost,
  milliseconds,
  oneOf,
  pathPrefix,
  type Reader,
  seconds,
  type TrustProxy,
  trustProxy,
  wholeNumber,
} from './readers.ts'
import { type BucketAddress, databaseUrl, redisUrl, resultsUrl, secretText } from './store-addresses.ts'

/** One setting: its environment variable, its reader, and its documentation. */
export interface SettingRow<Value> {
  readonly env: string
  readonly read: Reader<NonNullable<Value>>
  readonly default: Value
  /** The default in the documentation, in a form that can be set. */
  readonly shown: string
  readonly help: string
  /** The setting holds a password or key. Its value is never shown. */
  readonly secret?: true
  /** A warning about a valid value that is unwise or breaks a promise of the contract. */
  readonly warning?: (value: NonNullable<Value>) => string | undefined
}

const setting = <Value>(row: SettingRow<Value>): SettingRow<Value> => row

const PLAYGROUND = ['auto', 'on', 'off'] as const
const KERNEL_VECTORS = ['auto', '128'] as const

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const
const LOG_FORMATS = ['auto', 'text', 'json'] as const
export type LogLevel = (typeof LOG_LEVELS)[number]

const CORES = availableParallelism()

/** Every setting of the service, in the order of `docs/settings.md`. Names include the unit. */
export const SETTINGS = {
  // where it listens
  port: setting<number>({
    env: 'PORT',
    read: wholeNumber({ min: 0, max: 65535 }),
    default: 8080,
    shown: '8080',
    help: 'TCP port to listen on; 0 takes any free one.',
  }),
  host: setting<string>({
    env: 'HOST',
    read: listenHost,
    default: '127.0.0.1',
    shown: '127.0.0.1',
    help: 'Address to listen on. The default is this machine alone; 0.0.0.0 or :: is every network, which turns the account "demo" off.',
  }),
  publicUrl: setting<string | undefined>({
    env: 'PUBLIC_URL',
    read: baseUrl,
    default: undefined,
    shown: '',
    help: 'Base address of the service as clients see it, path prefix included: the addresses of stored results start with it. Taken from the request when unset.',
  }),
  pathPrefix: setting<string>({
    env: 'PATH_PREFIX',
    read: pathPrefix,
    default: '',
    shown: '',
    help: 'Path that all addresses of the service begin with, when a proxy in front does not strip it.',
  }),
  trustProxy: setting<TrustProxy>({
    env: 'TRUST_PROXY',
    read: trustProxy,
    default: { kind: 'none' },
    shown: 'false',
    help: 'Which X-Forwarded-* headers are trusted: none (false), those of every client (true), those of a number of proxies in front, or those of proxies in address ranges.',
  }),
  requestIdHeader: setting<string | undefined>({
    env: 'REQUEST_ID_HEADER',
    read: headerName,
    default: undefined,
    shown: '',
    help: 'Header in which a proxy that TRUST_PROXY believes names each request, such as X-Request-Id: a request that the proxy sends to a second node is then charged once. The proxy must overwrite what clients send in it.',
  }),
  playground: setting<(typeof PLAYGROUND)[number]>({
    env: 'PLAYGROUND',
    read: oneOf(PLAYGROUND),
    default: 'auto',
    shown: 'auto',
    help: 'Whether the base address shows a page to try the service out: on, off, or auto, which is on for browsers on this machine while HOST is loopback.',
  }),
  // where it stores data
  dataDir: setting<string>({
    env: 'DATA_DIR',
    read: filePath,
    default: './data',
    shown: './data',
    help: 'Directory of accounts, stored results and spool files; made when missing.',
  }),
  resultsMaxBytes: setting<number>({
    env: 'RESULTS_MAX_BYTES',
    read: byteCount(0),
    default: 1e9,
    shown: '1GB',
    help: 'Most disk space that stored results may take; the least recently used go first.',
  }),
  resultsMaxAgeMs: setting<number>({
    env: 'RESULTS_MAX_AGE',
    read: milliseconds({ min: HOUR_MS, max: 365 * 24 * HOUR_MS }),
    default: 24 * HOUR_MS,
    shown: '24h',
    help: 'How long a result stays stored; at least an hour, which clients may count on.',
  }),
  databaseUrl: setting<string | undefined>({
    env: 'DATABASE_URL',
    read: databaseUrl,
    default: undefined,
    shown: '',
    secret: true,
    help: 'PostgreSQL database for accounts, which any number of nodes share: postgres://user:password@host:5432/name. When unset: one SQLite file in the data directory. Needs the package pg.',
  }),
  databasePool: setting<number>({
    env: 'DATABASE_POOL',
    read: wholeNumber({ min: 2, max: 1000 }),
    default: 10,
    shown: '10',
    help: 'Connections of one node to the database of DATABASE_URL. All nodes together need fewer than its max_connections (PostgreSQL: 100 unless set); past ten nodes set less, or put PgBouncer in between.',
  }),
  resultsUrl: setting<BucketAddress | undefined>({
    env: 'RESULTS_URL',
    read: resultsUrl,
    default: undefined,
    shown: '',
    secret: true,
    help: 'Bucket of an S3 service for results, which any number of nodes share: s3://bucket/prefix?endpoint=https://s3.example.com&region=eu-1. Credentials come from AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, a profile or the role of the machine. RESULTS_MAX_BYTES does not apply. When unset: files in the data directory. Needs the package @aws-sdk/client-s3.',
  }),
  redisUrl: setting<string | undefined>({
    env: 'REDIS_URL',
    read: redisUrl,
    default: undefined,
    shown: '',
    secret: true,
    help: 'Redis or Valkey server through which any number of nodes share work: single flight, result addresses, jobs of nodes that died, rates of accounts. redis://:password@host:6379/0, rediss:// over TLS. Of use with RESULTS_URL. When unset: each node is alone. Needs the packages bullmq and ioredis.',
  }),
  secret: setting<string | undefined>({
    env: 'SECRET',
    read: secretText,
    default: undefined,
    shown: '',
    secret: true,
    help: 'Secret that the names of results are made with, the same on all nodes: at least 32 characters. When unset: kept in the database of DATABASE_URL, else in the data directory.',
  }),
  // sources
  allowPrivateSources: setting<readonly string[]>({
    env: 'ALLOW_PRIVATE_SOURCES',
    read: cidrList,
    default: [],
    shown: '',
    help: 'Address ranges that images may be fetched from although they are not public. Give as little as you can: every caller can reach what is listed here.',
  }),
  fetchTimeoutMs: setting<number>({
    env: 'FETCH_TIMEOUT',
    read: milliseconds({ min: 100, max: HOUR_MS }),
    default: 20e3,
    shown: '20s',
    help: 'Most time to fetch a source, redirects included.',
  }),
  uploadTimeoutMs: setting<number>({
    env: 'UPLOAD_TIMEOUT',
    read: milliseconds({ min: 100, max: HOUR_MS }),
    default: 60e3,
    shown: '60s',
    help: 'Most time to receive an upload.',
  }),
  maxSourceBytes: setting<number>({
    env: 'MAX_SOURCE_BYTES',
    read: byteCount(1),
    default: 50e6,
    shown: '50MB',
    help: 'Largest source that is accepted, counted after content decoding.',
  }),
  maxSide: setting<number>({
    env: 'MAX_SIDE',
    read: wholeNumber({ min: 1, max: 65500 }),
    default: 10000,
    shown: '10000',
    help: 'Most pixels a side, of sources and results.',
  }),
  maxPixels: setting<number>({
    env: 'MAX_PIXELS',
    read: wholeNumber({ min: 1, max: 4e9 }),
    default: 100e6,
    shown: '100000000',
    help: 'Most pixels of one frame, of sources and results.',
  }),
  maxTotalPixels: setting<number>({
    env: 'MAX_TOTAL_PIXELS',
    read: wholeNumber({ min: 1, max: 1e12 }),
    default: 1e9,
    shown: '1000000000',
    help: 'Most pixels of all frames of a source together.',
  }),
  maxFrames: setting<number>({
    env: 'MAX_FRAMES',
    read: wholeNumber({ min: 1, max: 1e7 }),
    default: 10_000,
    shown: '10000',
    help: 'Most frames of an animation whose result is animated.',
  }),
  maxDurationMs: setting<number>({
    env: 'MAX_DURATION',
    read: milliseconds({ min: 1, max: 24 * HOUR_MS }),
    default: 600e3,
    shown: '10m',
    help: 'Longest time that an animation may play when it is made into video or animated AVIF.',
  }),
  // work
  maxTimeoutSeconds: setting<number>({
    env: 'MAX_TIMEOUT',
    read: seconds({ min: 0.1, max: 3600 }),
    default: 30,
    shown: '30s',
    help: 'Most that timeout= may ask for. Without timeout= a request gets 30 s, or this when it is less.',
  }),
  redirectAfterMs: setting<number>({
    env: 'REDIRECT_AFTER',
    read: milliseconds({ min: 0, max: LATEST_START_MS }),
    default: 20e3,
    shown: '20s',
    help: 'How long after its arrival a request that is not done is answered with 303 and the address of the result. At most 25 s, since clients give up at 30.',
  }),
  workers: setting<number>({
    env: 'WORKERS',
    read: wholeNumber({ min: 1, max: 1024 }),
    default: CORES,
    shown: 'number of processor cores',
    help: 'Child processes that work on images, each on one image at a time.',
  }),
  workerMaxJobs: setting<number>({
    env: 'WORKER_MAX_JOBS',
    read: wholeNumber({ min: 1, max: 1e9 }),
    default: 2000,
    shown: '2000',
    help: 'Images after which a child process is replaced by a fresh one.',
  }),
  workerMaxMemory: setting<number>({
    env: 'WORKER_MAX_MEMORY',
    read: byteCount(64e6),
    default: 1e9,
    shown: '1GB',
    help: 'Resident memory above which a child process is replaced after its image.',
  }),
  workerRestMemory: setting<number>({
    env: 'WORKER_REST_MEMORY',
    read: byteCount(64e6),
    default: 200e6,
    shown: '200MB',
    help: 'Resident memory above which a child process that had nothing to do for 15 seconds is replaced.',
  }),
  workerMemoryLimit: setting<number | undefined>({
    env: 'WORKER_MEMORY_LIMIT',
    read: byteCount(256e6),
    default: undefined,
    shown: '3GB, or 80 % of the memory of the machine (or its container) divided by WORKERS when that is less',
    help: 'Resident memory at which a child process, with every program that it started, is ended during its image, which then gets 422.',
  }),
  queueLimit: setting<number>({
    env: 'QUEUE_LIMIT',
    read: wholeNumber({ min: 0, max: 1e6 }),
    default: 128,
    shown: '128',
    help: 'Requests that may wait for a child process; beyond it they get 503 at once.',
    warning: (limit) =>
      limit < 128 ? `QUEUE_LIMIT is ${limit}: clients that send many requests at once may count on 128.` : undefined,
  }),
  kernelVectors: setting<(typeof KERNEL_VECTORS)[number]>({
    env: 'KERNEL_VECTORS',
    read: oneOf(KERNEL_VECTORS),
    default: 'auto',
    shown: 'auto',
    help: 'Width in bits of the vectors that images are compared and encoded with: 128, or auto, which is 256 on processors with AVX2 under versions of Node where that was tried. The results are the same.',
  }),
  effort: setting<Effort>({
    env: 'EFFORT',
    read: oneOf(EFFORT_LEVELS),
    default: 'usual',
    shown: 'usual',
    help: 'CPU that still WebP and AVIF may take: usual, or more, which is about twice as much for WebP and five times for AVIF. It saves 2 to 5 % of the bytes at the same quality.',
  }),
  backgroundEffort: setting<Effort>({
    env: 'BACKGROUND_EFFORT',
    read: oneOf(EFFORT_LEVELS),
    default: 'usual',
    shown: 'usual',
    help: 'The same for searches in the background, while no request waits for a worker. With more, WebP and AVIF of live delivery are later replaced by smaller ones of the same quality.',
  }),
  ffmpegPath: setting<string | undefined>({
    env: 'FFMPEG_PATH',
    read: filePath,
    default: undefined,
    shown: '',
    help: 'The ffmpeg to make video with. When unset: ffmpeg on the PATH, else the one that npm installed.',
  }),
  // accounts
  rateLimit: setting<number>({
    env: 'RATE_LIMIT',
    read: wholeNumber({ min: 0, max: 1e9 }),
    default: 0,
    shown: '0',
    help: 'Requests a minute that one account may send; 0 is no limit.',
  }),
  accountRequests: setting<number>({
    env: 'ACCOUNT_REQUESTS',
    read: wholeNumber({ min: 1, max: 1e6 }),
    default: 256,
    shown: '256',
    help: 'Requests that one account may have in hand at once, work behind a 303 included; beyond it they get 429.',
    warning: (requests) =>
      requests < 16
        ? `ACCOUNT_REQUESTS is ${requests}: clients that send 16 requests at once may count on all of them.`
        : undefined,
  }),
  accountReceiving: setting<number>({
    env: 'ACCOUNT_RECEIVING',
    read: wholeNumber({ min: 1, max: 1e6 }),
    default: 32,
    shown: '32',
    help: 'Sources of one account that are fetched or uploaded at once; more wait, and get 429 after 10 s.',
  }),
  accountSpoolBytes: setting<number>({
    env: 'ACCOUNT_SPOOL_BYTES',
    read: byteCount(1),
    default: 2e9,
    shown: '2GB',
    help: 'Bytes of sources that one account may have in hand at once, each counted as the largest that is accepted until it is there; more wait, and get 429 after 10 s.',
  }),
  trialQuota: setting<number>({
    env: 'TRIAL_QUOTA',
    read: wholeNumber({ min: 0, max: 1e9 }),
    default: 100,
    shown: '100',
    help: 'Images in all that an account on the plan "trial" may optimise.',
  }),
  metricsPort: setting<number | undefined>({
    env: 'METRICS_PORT',
    read: wholeNumber({ min: 0, max: 65535 }),
    default: undefined,
    shown: '',
    help: 'TCP port of HOST on which /-/metrics, /-/live and /-/ready are answered, and nothing else; 0 takes any free one. /-/metrics is then not answered on PORT. When unset, PORT answers all of them.',
  }),
  metricsAccounts: setting<number>({
    env: 'METRICS_ACCOUNTS',
    read: wholeNumber({ min: 0, max: 10_000 }),
    default: 0,
    shown: '0',
    help: 'Number of accounts, the first ones, that the metrics count by name; all others are counted together. Readers of the metrics then know these usernames, which are all that callers without an access key send.',
  }),
  // live delivery
  deliveryMaxAgeMs: setting<number>({
    env: 'DELIVERY_MAX_AGE',
    read: milliseconds({ min: 0, max: 10 * 365 * 24 * HOUR_MS }),
    default: 365 * 24 * HOUR_MS,
    shown: '365d',
    help: 'How long caches may keep what is delivered live when the server of the source says nothing of it; 0 says nothing either, and asks that server each time.',
  }),
  deliveryRate: setting<number>({
    env: 'DELIVERY_RATE',
    read: wholeNumber({ min: 0, max: 1e9 }),
    default: 600,
    shown: '600',
    help: 'New results a minute that addresses which are not signed may have made for one account by live delivery; 0 is no limit. Anybody can make up such addresses.',
  }),
  // operation
  shutdownDelayMs: setting<number>({
    env: 'SHUTDOWN_DELAY',
    read: milliseconds({ min: 0, max: HOUR_MS }),
    default: 2e3,
    shown: '2s',
    help: 'How long after SIGTERM a node still takes new work while /-/ready answers 503, so that balancers leave it first. Of use with DATABASE_URL or REDIS_URL; a service without other nodes refuses new work at once.',
  }),
  shutdownGraceMs: setting<number>({
    env: 'SHUTDOWN_GRACE',
    read: milliseconds({ min: 0, max: HOUR_MS }),
    default: 30e3,
    shown: '30s',
    help: 'How long running work may take to end after SIGTERM.',
  }),
  logLevel: setting<LogLevel>({
    env: 'LOG_LEVEL',
    read: oneOf(LOG_LEVELS),
    default: 'info',
    shown: 'info',
    help: 'Least severe log lines that are written: trace, debug, info, warn, error, fatal or silent.',
  }),
  logFormat: setting<(typeof LOG_FORMATS)[number]>({
    env: 'LOG_FORMAT',
    read: oneOf(LOG_FORMATS),
    default: 'auto',
    shown: 'auto',
    help: 'How log lines are written: json, text for people, or auto, which is text on a terminal and json elsewhere.',
  }),
} as const

export type SettingKey = keyof typeof SETTINGS

/** All settings, complete and valid. */
export type Settings = {
  readonly [Key in SettingKey]: (typeof SETTINGS)[Key] extends SettingRow<infer Value> ? Value : never
}
