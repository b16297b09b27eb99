import { type Dialect, PostgresDialect, type PostgresPoolClient } from 'kysely'
import type { Pool, PoolClient, PoolConfig } from 'pg'
import { loadOptional } from '../../support/optional-package.ts'
import { TransactionLockAdapter } from './postgres-adapter.ts'
import { mayPass, troubleOf } from './postgres-errors.ts'

/** Time limits, so that a request gets its 503 before its client gives up. The first one includes the wait for a free connection. */
const CLIENT_LIMITS = { connectionTimeoutMillis: 8000, query_timeout: 5000 } as const satisfies PoolConfig

/** Limits of the server, slightly shorter, sent when a connection starts. */
const SERVER_LIMITS = {
  statement_timeout: 4500,
  lock_timeout: 4000,
  idle_in_transaction_session_timeout: 10_000,
} as const satisfies PoolConfig

const loadPg = () => loadOptional({ name: 'pg', setting: 'DATABASE_URL' }, () => import('pg'))

export interface PostgresPoolSettings {
  readonly url: string
  /** Maximum connections. */
  readonly connections: number
  /** Called with the error of an idle connection that broke. */
  readonly onLost: (error: Error) => void
}

/** Whether PgBouncer has refused the server's limits. It shares connections between clients, so it supports no settings per connection. */
const isPooler = (error: unknown): boolean => /unsupported startup parameter/i.test(String(error))

/**
 * A pool on the database at `url`. Behind PgBouncer only the client's limits apply, unless the role has those of the server
 * (`alter role … set lock_timeout`).
 */
export const openPostgresPool = async ({ url, connections, onLost }: PostgresPoolSettings): Promise<Pool> => {
  const { default: pg } = await loadPg()
  const open = (limits: PoolConfig): Pool => {
    const pool = new pg.Pool({
      connectionString: url,
      max: connections,
      idleTimeoutMillis: 30_000,
      keepAlive: true,
      application_name: 'whittle',
      ...CLIENT_LIMITS,
      ...limits,
      // pg returns 64-bit integers as text. Ours stay below 2^53.
      types: {
        getTypeParser: (oid: number, format?: 'text' | 'binary') =>
          oid === pg.types.builtins.INT8 ? Number : pg.types.getTypeParser(oid, format as 'text'),
      },
    })
    return pool.on('error', onLost)
  }
  const pool = open(SERVER_LIMITS)
  const refused = await pool.query('select 1').then(
    () => undefined,
    (error: unknown) => error,
  )
  // The first query waits for a server that is starting.
  if (refused === undefined || mayPass(refused)) return pool
  await pool.end()
  if (!isPooler(refused)) throw refused
  return open({})
}

const NOTHING = { command: 'ROLLBACK', rowCount: 0, rows: [] }

/**
 * A connection that runs no more queries after a time limit, since it is still busy with the old one. It is closed on release, which
 * rolls back.
 */
const lend = (client: PoolClient) => {
  let broken = false
  return {
    query: async (sql: string, parameters: readonly unknown[]) => {
      if (broken) return NOTHING
      try {
        return await client.query(sql, [...parameters])
      } catch (error) {
        broken = troubleOf(error) === 'away'
        throw error
      }
    },
    release: () => client.release(broken),
  }
}

class PooledDialect extends PostgresDialect {
  override createAdapter(): TransactionLockAdapter {
    return new TransactionLockAdapter()
  }
}

/** A Kysely dialect on a pool. Destroying Kysely ends the pool. */
export const postgresDialect = (pool: Pool): Dialect =>
  new PooledDialect({
    pool: {
      connect: async () => lend(await pool.connect()) as unknown as PostgresPoolClient,
      end: () => pool.end(),
    },
  })
