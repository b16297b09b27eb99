import { type Dialect, PostgresDialect, type PostgresPoolClient } from 'kysely'
import type { Pool, PoolClient, PoolConfig } from 'pg'
import { loadOptional } from '../../core/optional-package.ts'
import { troubleOf } from './postgres-errors.ts'

/** Connections of one node: PostgreSQL allows 100 in all unless told otherwise. */
const MAX_CONNECTIONS = 10
const INT8 = 20

/** Nothing waits for longer: a request must get its 503 while the client still listens. The first is the wait for one of the connections as well, which a rush on one account takes seconds of. */
const TIME_LIMITS = {
  connectionTimeoutMillis: 8000,
  query_timeout: 5000,
  statement_timeout: 4500,
  lock_timeout: 4000,
  idle_in_transaction_session_timeout: 10_000,
} as const satisfies PoolConfig

const loadPg = () => loadOptional({ name: 'pg', setting: 'DATABASE_URL' }, () => import('pg'))

/** A pool on the database at `url`; `onLost` hears of idle connections that broke. */
export const openPostgresPool = async (url: string, onLost: (error: Error) => void): Promise<Pool> => {
  const { default: pg } = await loadPg()
  const pool = new pg.Pool({
    connectionString: url,
    max: MAX_CONNECTIONS,
    idleTimeoutMillis: 30_000,
    keepAlive: true,
    application_name: 'whittle',
    ...TIME_LIMITS,
    // Counts and bytes stay below 2^53; pg hands out 64-bit integers as text.
    types: {
      getTypeParser: (oid: number, format?: 'text' | 'binary') =>
        oid === INT8 ? Number : pg.types.getTypeParser(oid, format as 'text'),
    },
  })
  pool.on('error', onLost)
  return pool
}

const NOTHING = { command: 'ROLLBACK', rowCount: 0, rows: [] }

/**
 * A connection on which a time limit passed is still busy with the old query: it takes no more of them (closing it rolls
 * back) and is closed when it is given back.
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

/** A Kysely dialect on a pool, which Kysely ends when it is destroyed. */
export const postgresDialect = (pool: Pool): Dialect =>
  new PostgresDialect({
    pool: {
      connect: async () => lend(await pool.connect()) as unknown as PostgresPoolClient,
      end: () => pool.end(),
    },
  })
