import { type Dialect, PostgresDialect, type PostgresPoolClient } from 'kysely'
import type { Pool, PoolClient, PoolConfig } from 'pg'
import { loadOptional } from '../../support/optional-package.ts'
import { TransactionLockAdapter } from './postgres-adapter.ts'
import { mayPass, troubleOf } from './postgres-errors.ts'

/** Identifier of the type bigint (pg_type.dat). */
const INT8 = 20

/** Nothing waits for longer: a request must get its 503 while the client still listens. The first is the wait for one of the connections as well, which a rush on one account takes seconds of. */
const CLIENT_LIMITS = { connectionTimeoutMillis: 8000, query_timeout: 5000 } as const satisfies PoolConfig

/** The same limits for the server, sent as each connection begins. */
const SERVER_LIMITS = {
  statement_timeout: 4500,
  lock_timeout: 4000,
  idle_in_transaction_session_timeout: 10_000,
} as const satisfies PoolConfig

const loadPg = () => loadOptional({ name: 'pg', setting: 'DATABASE_URL' }, () => import('pg'))

export interface PostgresPoolSettings {
  readonly url: string
  /** Connections at most. */
  readonly connections: number
  /** Called with the error of an idle connection that broke. */
  readonly onLost: (error: Error) => void
}

/** Whether it is PgBouncer that refuses the server's limits: it lends connections by the transaction, and knows no settings of one. */
const isPooler = (error: unknown): boolean => /unsupported startup parameter/i.test(String(error))

/**
 * A pool on the database at `url`. Behind PgBouncer only this side's limits hold, unless the role has those of the server
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
      // Counts and bytes stay below 2^53; pg hands out 64-bit integers as text.
      types: {
        getTypeParser: (oid: number, format?: 'text' | 'binary') =>
          oid === INT8 ? Number : pg.types.getTypeParser(oid, format as 'text'),
      },
    })
    return pool.on('error', onLost)
  }
  const pool = open(SERVER_LIMITS)
  const refused = await pool.query('select 1').then(
    () => undefined,
    (error: unknown) => error,
  )
  // A server that is just starting is waited for by the first query.
  if (refused === undefined || mayPass(refused)) return pool
  await pool.end()
  if (!isPooler(refused)) throw refused
  return open({})
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

class PooledDialect extends PostgresDialect {
  override createAdapter(): TransactionLockAdapter {
    return new TransactionLockAdapter()
  }
}

/** A Kysely dialect on a pool, which Kysely ends when it is destroyed. */
export const postgresDialect = (pool: Pool): Dialect =>
  new PooledDialect({
    pool: {
      connect: async () => lend(await pool.connect()) as unknown as PostgresPoolClient,
      end: () => pool.end(),
    },
  })
