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

/** The attempts that hold a charge. Several attempts of one request may run concurrently, and each releases only its own. */
const addHolder: Migration = {
  up: async (db: Kysely<unknown>) => {
    await db.schema.alterTable('reservations').addColumn('holder', 'text').execute()
  },
}

/** Live delivery (§8): allowed hosts, and keys for signing addresses. */
const addDelivery: Migration = {
  up: async (db: Kysely<unknown>) => {
    await db.schema.alterTable('accounts').addColumn('deliver', 'text').execute()
    await db.schema.alterTable('accounts').addColumn('signing_keys', 'text').execute()
  },
}

/** The fallback image (§8.7) and its lifetime in caches. */
const addFallback: Migration = {
  up: async (db: Kysely<unknown>) => {
    await db.schema.alterTable('accounts').addColumn('fallback', 'text').execute()
    await db.schema.alterTable('accounts').addColumn('fallback_max_age', 'bigint').execute()
  },
}

/** Restrictions and defaults of an account. */
const ACCESS_COLUMNS = ['access_keys', 'allow_addresses', 'allow_formats', 'allow_sizes', 'presets', 'meta'] as const

const addAccess: Migration = {
  up: async (db: Kysely<unknown>) => {
    for (const column of ACCESS_COLUMNS) await db.schema.alterTable('accounts').addColumn(column, 'text').execute()
  },
}

/**
 * Migrations in the order in which they run. Released ones are never edited. They only add, so that the previous version still works
 * (expand). One that removes something has a name ending in `-since-<number>`: the migration that a version must have to work without it
 * (contract).
 */
const MIGRATIONS: Readonly<Record<string, Migration>> = {
  '001-create-tables': createTables,
  '002-create-installation': createInstallation,
  '003-add-holder': addHolder,
  '004-add-delivery': addDelivery,
  '005-add-fallback': addFallback,
  '006-add-access': addAccess,
}

/** The number at the beginning of a migration's name. */
const numberOf = (name: string): number => Number.parseInt(name, 10)

/** Number of this version's last migration. */
const KNOWN = Math.max(...Object.keys(MIGRATIONS).map(numberOf))

/** Names of the migrations that a newer version ran on this database. */
const newerOf = async (db: Kysely<AccountsSchema>): Promise<readonly string[]> => {
  const tables = await db.introspection.getTables({ withInternalKyselyTables: true })
  if (!tables.some(({ name }) => name === 'kysely_migration')) return []
  const { rows } = await sql<{ name: string }>`select name from kysely_migration`.execute(db)
  return rows.map(({ name }) => name).filter((name) => !Object.hasOwn(MIGRATIONS, name))
}

/** Throws when a newer migration removed something that this version needs. */
const refuseFrom = (name: string): void => {
  const needed = Number(/-since-(\d+)$/.exec(name)?.[1] ?? 0)
  if (needed > KNOWN)
    throw new Error(
      `it was written by a newer version of Whittle, which has the migration "${name}"; start that version, or a newer one`,
    )
}

/** Our migrations, plus the newer ones as no-ops, since Kysely requires every migration that has run. */
const providerFor = (newer: readonly string[]): MigrationProvider => {
  const done = Object.fromEntries(newer.map((name): [string, Migration] => [name, { up: async () => undefined }]))
  return { getMigrations: async () => ({ ...MIGRATIONS, ...done }) }
}

/**
 * Brings the tables up to date and returns the names of the executed migrations. Throws when a newer version removed something that this
 * one needs. On SQLite the caller holds the write lock, on PostgreSQL Kysely takes an advisory lock.
 */
export const migrate = async (db: Kysely<AccountsSchema>): Promise<readonly string[]> => {
  const newer = await newerOf(db)
  for (const name of newer) refuseFrom(name)
  const { error, results = [] } = await new Migrator({ db, provider: providerFor(newer) }).migrateToLatest()
  if (error !== undefined) throw error
  return results.map(({ migrationName }) => migrationName)
}
