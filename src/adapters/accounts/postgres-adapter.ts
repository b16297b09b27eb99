import { setTimeout as sleep } from 'node:timers/promises'
import { type Kysely, PostgresAdapter, sql } from 'kysely'

/** The advisory lock of migrations. */
const LOCKING = {
  /** A random number, so that no other program uses it. */
  key: 7_241_886_301,
  /** ms between two attempts. Chosen, not measured. */
  retryMs: 100,
  /** Maximum ms to wait for another node. Chosen, not measured. */
  maxWaitMs: 60_000,
} as const

/**
 * Migrates under a lock that ends with its transaction. Kysely's own belongs to the session, which PgBouncer lends to
 * another client after each transaction. All migrations are one transaction: `commit` after an error rolls back.
 */
export class TransactionLockAdapter extends PostgresAdapter {
  /** False, since the transaction of the lock already encloses all migrations. */
  override get supportsTransactionalDdl(): boolean {
    return false
  }

  override async acquireMigrationLock(db: Kysely<unknown>): Promise<void> {
    const end = performance.now() + LOCKING.maxWaitMs
    for (;;) {
      await sql`begin`.execute(db)
      const { rows } = await sql<{
        taken: boolean
      }>`select pg_try_advisory_xact_lock(${sql.lit(LOCKING.key)}) as taken`.execute(db)
      if (rows[0]?.taken === true) return
      await sql`rollback`.execute(db)
      if (performance.now() > end) throw new Error('another node has been changing its tables for a minute')
      await sleep(LOCKING.retryMs)
    }
  }

  override async releaseMigrationLock(db: Kysely<unknown>): Promise<void> {
    await sql`commit`.execute(db)
  }
}
