import type { ChildProcess } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { endChild, findProgram, freePort, LOGS, startChild, until } from './process.ts'

const MAIN = resolve(import.meta.dirname, '../../../src/cli/main.ts')

/** One node of the service, a process of its own with a data directory of its own. */
export interface ServiceNode extends AsyncDisposable {
  readonly url: string
  readonly port: number
  readonly dataDir: string
  readonly pid: () => number
  /** SIGKILL: as when the machine fails. */
  readonly kill: () => Promise<void>
  /** Sends SIGTERM, as a deployment does. Resolves when the node has ended. */
  readonly stop: () => Promise<void>
  /** Starts it again on the same port and data directory, with settings added, and resolves once it is ready. */
  readonly start: (more?: Readonly<Record<string, string>>) => Promise<void>
  /** Value of a metric, summed over all label sets that contain `label`. */
  readonly metric: (name: string, label?: string) => Promise<number>
}

const sumOf = (text: string, name: string, label: string): number =>
  text
    .split('\n')
    .filter((line) => line.startsWith(name) && /^[ {]/.test(line.slice(name.length)) && line.includes(label))
    .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' ') + 1)), 0)

/** Program of a node. */
export interface NodeProgram {
  /** This checkout's unless given. */
  readonly main?: string
  /** The core that it may use, with all that it starts; any unless given. */
  readonly core?: number
}

/** Starts a node with these settings on a free port. */
export const startNode = async (
  env: Readonly<Record<string, string>>,
  { main = MAIN, core }: NodeProgram = {},
): Promise<ServiceNode> => {
  const pinned = core === undefined ? [] : [findProgram('taskset', 'util-linux'), '-c', String(core)]
  const [program = process.execPath, ...args] = [...pinned, process.execPath, main, 'serve']
  const [port, dataDir] = [await freePort(), await mkdtemp(join(tmpdir(), 'whittle-node-'))]
  const url = `http://127.0.0.1:${port}`
  let child: ChildProcess | undefined
  let added: Readonly<Record<string, string>> = {}
  const start: ServiceNode['start'] = async (more = added) => {
    added = more
    child = startChild(program, args, {
      env: {
        PATH: process.env['PATH'],
        LOG_LEVEL: LOGS === undefined ? 'silent' : 'debug',
        WORKERS: '1',
        ALLOW_PRIVATE_SOURCES: '127.0.0.0/8',
        TRUST_PROXY: '127.0.0.0/8',
        REQUEST_ID_HEADER: 'X-Request-Id',
        PORT: String(port),
        DATA_DIR: dataDir,
        ...env,
        ...added,
      },
      ...(LOGS === undefined ? {} : { log: join(LOGS, `node-${port}.log`) }),
    })
    const begun = child
    await until(async () => {
      const { exitCode, signalCode } = begun
      if (exitCode !== null || signalCode !== null) throw new Error('the node has ended')
      const { status } = await fetch(`${url}/-/ready`)
      if (status !== 200) throw new Error(`not ready: ${status}`)
    })
  }
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    if (child !== undefined) await endChild(child, signal)
  }
  await start()
  return {
    url,
    port,
    dataDir,
    pid: () => child?.pid ?? Number.NaN,
    start,
    kill: () => end('SIGKILL'),
    stop: () => end('SIGTERM'),
    metric: async (name, label = '') => sumOf(await (await fetch(`${url}/-/metrics`)).text(), name, label),
    [Symbol.asyncDispose]: async () => {
      await end('SIGKILL')
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}
