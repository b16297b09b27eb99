import { HOUR_MS } from '../../core/units.ts'
import { milliseconds, oneOf } from '../readers.ts'
import { setting } from './row.ts'

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const
const LOG_FORMATS = ['auto', 'text', 'json'] as const
type LogLevel = (typeof LOG_LEVELS)[number]

/** Settings of logs and of the shutdown. */
export const OPERATION = {
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
