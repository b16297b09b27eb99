import type { DatabaseSync, SQLInputValue } from 'node:sqlite'
import { type Dialect, SqliteDialect, type SqliteStatement } from 'kysely'

/** Node's own SQLite. Early releases of Node 24 print an ExperimentalWarning when it is loaded; that one is kept quiet. */
const loadSqlite = (): typeof import('node:sqlite') => {
  const emitWarning = process.emitWarning
  process.emitWarning = (() => undefined) as typeof process.emitWarning
  try {
    return process.getBuiltinModule('node:sqlite')
  } finally {
    process.emitWarning = emitWarning
  }
}

/**
 * Opens a database file. A lock held by another connection is reported at once: SQLite would wait by blocking the event loop, for all of
 * its timeout when the holder is in this process.
 */
export const openDatabase = (path: string): DatabaseSync =>
  new (loadSqlite().DatabaseSync)(path, { timeout: 0, enableForeignKeyConstraints: true })

/** Copies a database file, as it is at this moment, into a new file; others may write to it meanwhile. Throws where the copy cannot be written. */
export const copyDatabase = (path: string, copy: string): void => {
  const database = openDatabase(path)
  try {
    database.prepare('vacuum into ?').run(copy)
  } finally {
    database.close()
  }
}

/** There are some dozen texts, and more for lists of values of different lengths. */
const MAX_CACHED_STATEMENTS = 64

/** Compiles each text once: that takes longer than to run it. */
const statementsOf = (database: DatabaseSync): ((sql: string) => SqliteStatement) => {
  const known = new Map<string, SqliteStatement>()
  const compile = (sql: string): SqliteStatement => {
    // Kysely's own "begin" is deferred: it would read first and may then find that it cannot write any more.
    const statement = database.prepare(sql === 'begin' ? 'begin immediate' : sql)
    return {
      reader: statement.columns().length > 0,
      all: (parameters) => statement.all(...(parameters as SQLInputValue[])),
      run: (parameters) => {
        // A full disk has ended the transaction already; an error of the rollback would hide what happened.
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

/** A Kysely dialect on an open database of `node:sqlite`, which Kysely closes when it is destroyed. */
export const nodeSqliteDialect = (database: DatabaseSync): Dialect =>
  new SqliteDialect({ database: { close: () => database.close(), prepare: statementsOf(database) } })

/** Result code of SQLite (sqlite3.h). */
const SQLITE_BUSY = 5

/** Whether an error means that another connection is writing; the low byte of the code names its family. */
export const isBusy = (error: unknown): boolean =>
  typeof error === 'object' &&
  error !== null &&
  'errcode' in error &&
  typeof error.errcode === 'number' &&
  (error.errcode & 0xff) === SQLITE_BUSY
