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

/** The image that stands in for one that cannot be had (§8.7), and how long caches keep it. */
const addFallback: Migration = {
  up: async (db: Kysely<unknown>) => {
    await db.schema.alterTable('accounts').addColumn('fallback', 'text').execute()
    await db.schema.alterTable('accounts').addColumn('fallback_max_age', 'bigint').execute()
  },
}

/** Columns on who may use an account, and for what. */
const ACCESS_COLUMNS = ['access_keys', 'allow_addresses', 'allow_formats', 'allow_sizes', 'presets', 'meta'] as const

const addAccess: Migration = {
  up: async (db: Kysely<unknown>) => {
    for (const column of ACCESS_COLUMNS) await db.schema.alterTable('accounts').addColumn(column, 'text').execute()
  },
}

/**
 * In the order in which they run; never edited once released, only appended to. Each only adds (expand), so that the version
 * before runs on the new tables; what no version before the last needs may go (contract), by a name that ends in `-since-<number>`.
 */
const MIGRATIONS: Readonly<Record<string, Migration>> = {
  '001-create-tables': createTables,
  '002-create-installation': createInstallation,
  '003-add-holder': addHolder,
  '004-add-delivery': addDelivery,
  '005-add-fallback': addFallback,
  '006-add-access': addAccess,
}

/** The number that the name of a migration begins with. */
const numberOf = (name: string): number => Number.parseInt(name, 10)

/** Number of this version's last migration. */
const KNOWN = Math.max(...Object.keys(MIGRATIONS).map(numberOf))

/**
 * Migrations of a newer version that has run on this database. They only add, so that this version works on its tables; one
 * that takes away says by the end of its name, `-since-<number>`, which migration a program has to know to work on them.
 */
const newerOf = async (db: Kysely<AccountsSchema>): Promise<readonly string[]> => {
  const tables = await db.introspection.getTables({ withInternalKyselyTables: true })
  if (!tables.some(({ name }) => name === 'kysely_migration')) return []
  const { rows } = await sql<{ name: string }>`select name from kysely_migration`.execute(db)
  return rows.map(({ name }) => name).filter((name) => !Object.hasOwn(MIGRATIONS, name))
}

const refuseFrom = (name: string): void => {
  const needed = Number(/-since-(\d+)$/.exec(name)?.[1] ?? 0)
  if (needed > KNOWN)
    throw new Error(
      `it was written by a newer version of Whittle, which has the migration "${name}"; start that version, or a newer one`,
    )
}

/** Our migrations, and as nothing to do those that a newer version ran. */
const providerFor = (newer: readonly string[]): MigrationProvider => {
  const done = Object.fromEntries(newer.map((name): [string, Migration] => [name, { up: async () => undefined }]))
  return { getMigrations: async () => ({ ...MIGRATIONS, ...done }) }
}

/**
 * Brings the tables up to date and returns the names of the migrations that it ran; throws when a newer version
 * took away what this one needs. On SQLite the caller holds the write lock, on PostgreSQL Kysely takes an advisory lock.
 */
export const migrate = async (db: Kysely<AccountsSchema>): Promise<readonly string[]> => {
  const newer = await newerOf(db)
  for (const name of newer) refuseFrom(name)
  const { error, results = [] } = await new Migrator({ db, provider: providerFor(newer) }).migrateToLatest()
  if (error !== undefined) throw error
  return results.map(({ migrationName }) => migrationName)
}
