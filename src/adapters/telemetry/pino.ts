import { type DestinationStream, type Logger, pino } from 'pino'
import type { Log } from '../../ports/telemetry.ts'
import { redactUserInfo } from './redact.ts'

export interface PinoLogSettings {
  /** fatal, error, warn, info, debug, trace or silent */
  readonly level: string
  /** Receives the lines. Default: standard output. */
  readonly destination?: DestinationStream
}

const wrap = (logger: Logger): Log => ({
  debug: (fields, message) => logger.debug(fields, message),
  info: (fields, message) => logger.info(fields, message),
  warn: (fields, message) => logger.warn(fields, message),
  error: (fields, message) => logger.error(fields, message),
  child: (fields) => wrap(logger.child(fields)),
})

/** A log that writes one JSON object per line. */
export const openPinoLog = ({ level, destination }: PinoLogSettings): Log => {
  const options = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    // Redacts the finished line, which includes messages, stacks and causes.
    hooks: { streamWrite: redactUserInfo },
  }
  return wrap(destination === undefined ? pino(options) : pino(options, destination))
}
