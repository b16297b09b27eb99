import { setTimeout as sleep } from 'node:timers/promises'
import { type Kysely, PostgresAdapter, sql } from 'kysely'

/** How migrations of several nodes take turns. */
const LOCKING = {
  /** Any number that no other program uses for an advisory lock of the same database. */
  key: 7_241_886_301,
  /** ms until the lock is asked for again. Chosen, not measured. */
  againMs: 100,
  /** ms until a node gives up. Chosen, not measured. */
  patienceMs: 60_000,
} as const

/**
 * Migrates under a lock that ends with its transaction. Kysely's own belongs to the session, which PgBouncer lends to
 * another client after each transaction. All migrations are one transaction: `commit` after an error rolls back.
 */
export class TransactionLockAdapter extends PostgresAdapter {
  /** The transaction is that of the lock. */
  override get supportsTransactionalDdl(): boolean {
    return false
  }

  override async acquireMigrationLock(db: Kysely<unknown>): Promise<void> {
    const end = performance.now() + LOCKING.patienceMs
    for (;;) {
      await sql`begin`.execute(db)
      const { rows } = await sql<{
        taken: boolean
      }>`select pg_try_advisory_xact_lock(${sql.lit(LOCKING.key)}) as taken`.execute(db)
      if (rows[0]?.taken === true) return
      await sql`rollback`.execute(db)
      if (performance.now() > end) throw new Error('another node has been changing its tables for a minute')
      await sleep(LOCKING.againMs)
    }
  }

  override async releaseMigrationLock(db: Kysely<unknown>): Promise<void> {
    await sql`commit`.execute(db)
  }
}
