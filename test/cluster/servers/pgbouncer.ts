import { chown, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { owner, PASSWORD, query } from './postgres.ts'
import { endChild, findProgram, freePort, startChild, until } from './process.ts'

/** A throw-away PgBouncer in transaction mode, with few connections to the server, in front of a PostgreSQL of the tests. */
export const startPgBouncer = async (
  postgres: string,
  serverConnections: number,
): Promise<AsyncDisposable & { readonly through: (url: string) => string }> => {
  const program = findProgram('pgbouncer', 'pgbouncer')
  const [directory, as, port] = [await mkdtemp(join(tmpdir(), 'whittle-pgbouncer-')), await owner(), await freePort()]
  const { hostname, port: behind } = new URL(postgres)
  const [config, users] = [join(directory, 'pgbouncer.ini'), join(directory, 'users.txt')]
  await writeFile(users, `"app" "${PASSWORD}"\n`)
  await writeFile(
    config,
    `[databases]
* = host=${hostname} port=${behind}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = scram-sha-256
auth_file = ${users}
pool_mode = transaction
default_pool_size = ${serverConnections}
max_client_conn = 1000
logfile = ${directory}/log
`,
  )
  for (const path of [directory, config, users]) await chown(path, as.uid, as.gid)
  const child = startChild(program, [config], as)
  const through = (url: string): string => url.replace(/@[^/]+/, `@127.0.0.1:${port}`)
  await until(() => query(through(postgres), 'select 1'))
  return {
    through,
    [Symbol.asyncDispose]: async () => {
      await endChild(child, 'SIGTERM')
      await rm(directory, { recursive: true, force: true })
    },
  }
}
