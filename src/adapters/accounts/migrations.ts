import { type Kysely, type Migration, type MigrationProvider, Migrator, sql } from 'kysely'
import type { AccountsSchema } from './schema.ts'

const createTables: Migration = {
  up: async (db: Kysely<unknown>) => {
    await db.schema
      .createTable('accounts')
      .addColumn('username', 'text', (column) => column.primaryKey().notNull())
      .addColumn('plan', 'text', (column) => column.notNull())
      .addColumn('suspended', 'integer', (column) => column.notNull().defaultTo(0))
      .addColumn('quota', 'bigint', (column) => column.check(sql`quota >= 0`))
      .addColumn('period', 'text', (column) => column.notNull().defaultTo('month'))
      .addColumn('max_bytes', 'bigint')
      .addColumn('max_pixels', 'bigint')
      .addColumn('max_side', 'bigint')
      .addColumn('max_timeout', 'double precision')
      .addColumn('rate', 'double precision')
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .execute()
    await db.schema
      .createTable('usage')
      .addColumn('username', 'text', (column) => column.notNull().references('accounts.username').onDelete('cascade'))
      .addColumn('period', 'text', (column) => column.notNull())
      .addColumn('used', 'bigint', (column) => column.notNull().check(sql`used >= 0`))
      .addPrimaryKeyConstraint('usage_key', ['username', 'period'])
      .execute()
    await db.schema
      .createTable('reservations')
      .addColumn('request_id', 'text', (column) => column.primaryKey().notNull())
      .addColumn('username', 'text', (column) => column.notNull().references('accounts.username').onDelete('cascade'))
      .addColumn('month', 'text', (column) => column.notNull())
      .addColumn('state', 'text', (column) => column.notNull())
      .addColumn('reserved_at', 'bigint', (column) => column.notNull())
      .execute()
    await db.schema.createIndex('reservations_by_age').on('reservations').columns(['state', 'reserved_at']).execute()
    // Removing an account cascades by username; without this index that scans every reservation.
    await db.schema.createIndex('reservations_by_username').on('reservations').column('username').execute()
  },
}

/** In the order in which they run; never edited once released, only appended to. */
const MIGRATIONS: Readonly<Record<string, Migration>> = { '001-create-tables': createTables }

const provider: MigrationProvider = { getMigrations: async () => ({ ...MIGRATIONS }) }

/** Brings the tables up to date; throws when the database was written by a newer version. The caller holds the write lock. */
export const migrate = async (db: Kysely<AccountsSchema>): Promise<void> => {
  const { error } = await new Migrator({ db, provider }).migrateToLatest()
  if (error !== undefined) throw error
}
