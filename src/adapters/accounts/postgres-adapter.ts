import { setTimeout as sleep } from 'node:timers/promises'
import { type Kysely, PostgresAdapter, sql } from 'kysely'

/** Any number that no other program uses for an advisory lock of the same database. */
const LOCK = 7_241_886_301
const AGAIN_MS = 100
/** How long a node waits for another one that migrates. */
const PATIENCE_MS = 60_000

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
    const end = performance.now() + PATIENCE_MS
    for (;;) {
      await sql`begin`.execute(db)
      const { rows } = await sql<{
        taken: boolean
      }>`select pg_try_advisory_xact_lock(${sql.lit(LOCK)}) as taken`.execute(db)
      if (rows[0]?.taken === true) return
      await sql`rollback`.execute(db)
      if (performance.now() > end) throw new Error('another node has been changing its tables for a minute')
      await sleep(AGAIN_MS)
    }
  }

  override async releaseMigrationLock(db: Kysely<unknown>): Promise<void> {
    await sql`commit`.execute(db)
  }
}
