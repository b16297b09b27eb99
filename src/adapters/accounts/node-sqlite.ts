import type { DatabaseSync, SQLInputValue } from 'node:sqlite'
import { type Dialect, SqliteDialect, type SqliteStatement } from 'kysely'

/** Loads Node's own SQLite without the ExperimentalWarning of early releases of Node 24. */
const loadSqlite = (): typeof import('node:sqlite') => {
  const emitWarning = process.emitWarning
  process.emitWarning = (() => undefined) as typeof process.emitWarning
  try {
    return process.getBuiltinModule('node:sqlite')
  } finally {
    process.emitWarning = emitWarning
  }
}

/** Opens a database file. A lock of another connection fails immediately, since waiting for it in SQLite would block the event loop. */
export const openDatabase = (path: string): DatabaseSync =>
  new (loadSqlite().DatabaseSync)(path, { timeout: 0, enableForeignKeyConstraints: true })

/** Writes a snapshot of a database to a new file, even during writes of others. Throws when the copy cannot be written. */
export const copyDatabase = (path: string, copy: string): void => {
  const database = openDatabase(path)
  try {
    database.prepare('vacuum into ?').run(copy)
  } finally {
    database.close()
  }
}

/** There are some dozen statements, and more for lists of values of different lengths. */
const MAX_CACHED_STATEMENTS = 64

/** Compiles each statement once, which takes longer than running it. */
const statementsOf = (database: DatabaseSync): ((sql: string) => SqliteStatement) => {
  const known = new Map<string, SqliteStatement>()
  const compile = (sql: string): SqliteStatement => {
    // A deferred transaction, as Kysely begins it, may fail when it changes from reading to writing.
    const statement = database.prepare(sql === 'begin' ? 'begin immediate' : sql)
    return {
      reader: statement.columns().length > 0,
      all: (parameters) => statement.all(...(parameters as SQLInputValue[])),
      run: (parameters) => {
        // A full disk has already ended the transaction. An error of the rollback would hide the cause.
        if (sql === 'rollback' && !database.isTransaction) return { changes: 0, lastInsertRowid: 0 }
        return statement.run(...(parameters as SQLInputValue[]))
      },
      iterate: (parameters) => statement.iterate(...(parameters as SQLInputValue[])),
    }
  }
  return (sql) => {
    const statement = known.get(sql) ?? compile(sql)
    if (known.size >= MAX_CACHED_STATEMENTS) known.clear()
    known.set(sql, statement)
    return statement
  }
}

/** A Kysely dialect on an open database of `node:sqlite`. Destroying Kysely closes the database. */
export const nodeSqliteDialect = (database: DatabaseSync): Dialect =>
  new SqliteDialect({ database: { close: () => database.close(), prepare: statementsOf(database) } })

/** Result code of SQLite (sqlite3.h). */
const SQLITE_BUSY = 5

/** Whether an error means that another connection is writing. The low byte of the code is the primary result code. */
export const isBusy = (error: unknown): boolean =>
  typeof error === 'object' &&
  error !== null &&
  'errcode' in error &&
  typeof error.errcode === 'number' &&
  (error.errcode & 0xff) === SQLITE_BUSY
