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

/** Facts that all nodes of one installation share, such as its secret. */
const createInstallation: Migration = {
  up: async (db: Kysely<unknown>) => {
    await db.schema
      .createTable('installation')
      .addColumn('name', 'text', (column) => column.primaryKey().notNull())
      .addColumn('value', 'text', (column) => column.notNull())
      .execute()
  },
}

/** Several tries of one request may be under way at once: each gives back only what is still its own. */
const addHolder: Migration = {
  up: async (db: Kysely<unknown>) => {
    await db.schema.alterTable('reservations').addColumn('holder', 'text').execute()
  },
}

/** Live delivery (§8): hosts that are delivered from, and keys that addresses are signed with. */
const addDelivery: Migration = {
  up: async (db: Kysely<unknown>) => {
    await db.schema.alterTable('accounts').addColumn('deliver', 'text').execute()
    await db.schema.alterTable('accounts').addColumn('signing_keys', 'text').execute()
  },
}

/** In the order in which they run; never edited once released, only appended to. */
const MIGRATIONS: Readonly<Record<string, Migration>> = {
  '001-create-tables': createTables,
  '002-create-installation': createInstallation,
  '003-add-holder': addHolder,
  '004-add-delivery': addDelivery,
}

const provider: MigrationProvider = { getMigrations: async () => ({ ...MIGRATIONS }) }

/** Kysely finds what it does not know and says "previously executed migration 009-x is missing". */
const explainNewer = (error: unknown): unknown => {
  const [, name] = /previously executed migration (\S+) is missing/.exec(String(error)) ?? []
  if (name === undefined) return error
  return new Error(
    `it was written by a newer version of Whittle, which has the migration "${name}"; start that version, or a newer one`,
    { cause: error },
  )
}

/**
 * Brings the tables up to date and returns the names of the migrations that it ran; throws when the database was written
 * by a newer version. On SQLite the caller holds the write lock, on PostgreSQL Kysely takes an advisory lock.
 */
export const migrate = async (db: Kysely<AccountsSchema>): Promise<readonly string[]> => {
  const { error, results = [] } = await new Migrator({ db, provider }).migrateToLatest()
  if (error !== undefined) throw explainNewer(error)
  return results.map(({ migrationName }) => migrationName)
}
