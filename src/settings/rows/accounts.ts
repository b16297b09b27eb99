import { byteCount, wholeNumber } from '../readers.ts'
import { setting } from './row.ts'

/** Limits of accounts, and their metrics. */
export const ACCOUNTS = {
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
  metricsAccounts: setting<number>({
    env: 'METRICS_ACCOUNTS',
    read: wholeNumber({ min: 0, max: 10_000 }),
    default: 0,
    shown: '0',
    help: 'Number of accounts, the first ones, that the metrics count by name; all others are counted together. Readers of the metrics then know these usernames, which are all that callers without an access key send.',
  }),
} as const
