import { HOUR_MS } from '../../core/units.ts'
import { byteCount, filePath, milliseconds, wholeNumber } from '../readers.ts'
import { type BucketAddress, databaseUrl, redisUrl, resultsUrl, secretText } from '../store-addresses.ts'
import { setting } from './row.ts'

/** Settings of the data directory, the result store, the database and Redis. */
export const STORAGE = {
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
} as const
