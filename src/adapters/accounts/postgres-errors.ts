/** Kinds of errors. `collision`: repeat the work. `away`: the database does not answer. */
export type PostgresTrouble = 'collision' | 'away' | 'fault'

/** deadlock_detected, serialization_failure, lock_not_available. */
const COLLISIONS = new Set(['40P01', '40001', '55P03'])

/** admin_shutdown, crash_shutdown, cannot_connect_now, too_many_connections, query_canceled by a time limit; read-only after a failover. */
const AWAY = new Set(['57P01', '57P02', '57P03', '53300', '57014', '25006'])

const codeOf = (error: unknown): string | undefined =>
  typeof error === 'object' && error !== null && 'code' in error && typeof error.code === 'string'
    ? error.code
    : undefined

/** Whether a code is a SQLSTATE of five characters, which errors of the server have. Other errors are lost connections or time limits. */
const isSqlState = (code: string | undefined): code is string => code !== undefined && /^[0-9A-Z]{5}$/.test(code)

/** Classifies an error of the client `pg`. */
export const troubleOf = (error: unknown): PostgresTrouble => {
  const code = codeOf(error)
  // EPIPE has five characters too.
  if (!isSqlState(code) || code === 'EPIPE') return error instanceof Error && isOfClient(error) ? 'away' : 'fault'
  if (COLLISIONS.has(code)) return 'collision'
  return AWAY.has(code) || code.startsWith('08') ? 'away' : 'fault'
}

/** Whether an error is of `pg` or `pg-pool`, which have messages without a code, or has a code of the system. */
const isOfClient = (error: Error): boolean =>
  /^E[A-Z_]+$/.test(codeOf(error) ?? '') ||
  /timeout|terminated|not queryable|Client has encountered a connection error|SSL/i.test(error.message)

/** Whether an error at start is temporary: the server is starting, or not yet listening. */
export const mayPass = (error: unknown): boolean =>
  ['ECONNREFUSED', 'ECONNRESET', '57P03'].includes(codeOf(error) ?? '') || /terminated unexpectedly/.test(String(error))
