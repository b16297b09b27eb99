import { chmod, chown, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { endChild, findProgram, freePort, run, type StoreServer, startChild, until } from './process.ts'

/** Password of the user `app`. */
export const PASSWORD = 'p@ss word/1'

/** Where Debian keeps the programs of the newest version that is installed. */
const programs = async (): Promise<string[]> => {
  const base = '/usr/lib/postgresql'
  const versions = await readdir(base).catch(() => [])
  return versions.toSorted((a, b) => Number(b) - Number(a)).map((version) => join(base, version, 'bin'))
}

/** PostgreSQL refuses to run as root: then its own user runs it. */
export const owner = async (): Promise<{ uid: number; gid: number }> => {
  const { uid, gid } = userInfo()
  if (uid !== 0) return { uid, gid }
  const [user, group] = await Promise.all(['-u', '-g'].map((flag) => run('id', [flag, 'postgres'])))
  return { uid: Number(user!.stdout), gid: Number(group!.stdout) }
}

type Row = Readonly<Record<string, unknown>>

/** One statement on a connection of its own. */
export const query = async (url: string, text: string): Promise<Row[]> => {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 60_000, query_timeout: 60_000 })
  client.on('error', () => undefined)
  await client.connect()
  const { rows } = await client.query<Row>(text).finally(() => client.end())
  return rows
}

/** Locks tables until what it returns is disposed of. */
export const lockTables = async (url: string, tables: string): Promise<AsyncDisposable> => {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => undefined)
  await client.connect()
  await client.query(`begin; lock table ${tables} in access exclusive mode`)
  return { [Symbol.asyncDispose]: () => client.end() }
}

export interface PostgresServer extends StoreServer {
  readonly newDatabase: (name: string) => Promise<string>
  readonly query: (url: string, text: string) => Promise<Row[]>
}

/** A throw-away PostgreSQL with password authentication. */
export const startPostgres = async (): Promise<PostgresServer> => {
  const places = await programs()
  const initdb = findProgram('initdb', 'postgresql', places)
  const postgres = findProgram('postgres', 'postgresql', places)
  const [directory, as, port] = await Promise.all([mkdtemp(join(tmpdir(), 'whittle-postgres-')), owner(), freePort()])
  const passwordFile = join(directory, 'password')
  const data = join(directory, 'data')
  await writeFile(passwordFile, PASSWORD)
  for (const path of [directory, passwordFile]) await chown(path, as.uid, as.gid)
  await chmod(directory, 0o700)
  await run(
    initdb,
    [
      '-D',
      data,
      '-U',
      'app',
      '-A',
      'scram-sha-256',
      `--pwfile=${passwordFile}`,
      '--no-sync',
      '-E',
      'UTF8',
      '--locale=C',
    ],
    as,
  )
  const urlOf = (name: string): string => `postgres://app:${encodeURIComponent(PASSWORD)}@127.0.0.1:${port}/${name}`
  const settings = {
    listen_addresses: '127.0.0.1',
    port,
    unix_socket_directories: '',
    max_connections: 200,
    // The machine does not fail, the server alone is ended; and fifty new databases take a busy disk a minute to end with.
    fsync: 'off',
  }
  const args = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const begin = () => startChild(postgres, ['-D', data, ...args], { ...as, cwd: directory })
  let child = begin()
  const start = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) child = begin()
    await until(() => query(urlOf('postgres'), 'select 1'))
  }
  // "Fast" shutdown: open transactions are rolled back.
  const stop = () => endChild(child, 'SIGINT')
  await start()
  return {
    url: urlOf('postgres'),
    start,
    stop,
    query,
    newDatabase: async (name) => {
      await query(urlOf('postgres'), `create database "${name}"`)
      return urlOf(name)
    },
    [Symbol.asyncDispose]: async () => {
      await stop()
      await rm(directory, { recursive: true, force: true })
    },
  }
}
