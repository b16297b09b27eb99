import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'

/** The service in its own process, as users run it. */
export interface RunningService {
  /** Base address, without a slash at its end. */
  readonly address: string
  readonly pid: number
  readonly dataDir: string
  /** Resident bytes of the server and of each of its descendants. */
  readonly memory: () => Promise<{ readonly server: number; readonly children: readonly number[] }>
  /** Process ids of the server and of all its descendants. */
  readonly processes: () => Promise<readonly number[]>
  /** CPU seconds of the server and of its descendants so far, including those that have ended. */
  readonly cpuSeconds: () => Promise<number>
  /** Files in its spool and scratch directories. */
  readonly leftovers: () => Promise<readonly string[]>
  /** Lines of its log with errors and warnings so far. */
  readonly complaints: readonly string[]
  /** Fails with an Error if the process has ended. */
  readonly assertAlive: () => void
  /** Ends the process with SIGTERM. Removes its data directory unless the settings name one. */
  readonly stop: () => Promise<void>
  /** Kills the process with SIGKILL. Removes its data directory unless the settings name one. */
  readonly kill: () => Promise<void>
}

/** How to start the service. */
interface StartOptions {
  /** File of the command; this checkout's by default. */
  readonly entry?: string
  /** A program that starts the service, with its arguments; none by default. */
  readonly through?: readonly string[]
  /** Flags of Node for the service and its children. */
  readonly flags?: readonly string[]
}

const MAIN = fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url))
const INVITATION = /^\s*(http:\/\/[^/\s]+)\s*$/

const residentBytes = async (pid: number): Promise<number> => {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1] ?? 0) * 1024
}

/** Clock ticks a second in /proc, the same on every Linux. */
const TICKS = 100

/** Own time and that of children that were waited for: fields 14 to 17, counted after the name in brackets. */
const cpuOf = async (pid: number): Promise<number> => {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return fields.slice(11, 15).reduce((total, ticks) => total + Number(ticks), 0) / TICKS
}

const childrenOf = async (pid: number): Promise<readonly number[]> => {
  const text = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '')
  const own = text.split(' ').filter(Boolean).map(Number)
  return [...own, ...(await Promise.all(own.map(childrenOf))).flat()]
}

/** CPU seconds of a process and of its children so far, those that have ended included. */
export const cpuSecondsOf = async (pid: number): Promise<number> => {
  const each = await Promise.all([pid, ...(await childrenOf(pid))].map(cpuOf))
  return each.reduce((total, seconds) => total + seconds, 0)
}

type ServiceProcess = ChildProcessByStdio<null, Readable, Readable>

/** The environment of a service on a free port of loopback. `settings` override it. */
const environmentOf = (dataDir: string, settings: Readonly<Record<string, string>>): NodeJS.ProcessEnv => ({
  ...process.env,
  PORT: '0',
  HOST: '127.0.0.1',
  DATA_DIR: dataDir,
  ALLOW_PRIVATE_SOURCES: '127.0.0.0/8',
  LOG_LEVEL: 'warn',
  ...settings,
})

/** Resolves with the address that the service prints. Adds its log to `complaints`. Fails if the process ends before. */
const readAddress = (child: ServiceProcess, exit: Promise<void>, complaints: string[]): Promise<string> =>
  new Promise((resolve, reject) => {
    createInterface({ input: child.stderr }).on('line', (line) => complaints.push(line))
    createInterface({ input: child.stdout }).on('line', (line) => {
      const found = INVITATION.exec(line)?.[1]
      if (found !== undefined) resolve(found)
      else if (line.startsWith('{')) complaints.push(line)
    })
    void exit.then(() => reject(new Error(`The service did not start. ${complaints.join(' ')}`)))
  })

/** Measures a process and its descendants. */
const measurementsOf = (pid: number): Pick<RunningService, 'memory' | 'processes' | 'cpuSeconds'> => ({
  memory: async () => ({
    server: await residentBytes(pid),
    children: await Promise.all((await childrenOf(pid)).map(residentBytes)),
  }),
  processes: async () => [pid, ...(await childrenOf(pid))],
  cpuSeconds: () => cpuSecondsOf(pid),
})

/**
 * Starts `whittle try` on a free port of loopback. `settings` are additional environment variables. Its data directory is an empty one
 * unless they name one. Fails with an Error if the service does not start.
 */
export const startService = async (
  settings: Readonly<Record<string, string>> = {},
  { entry = MAIN, through = [], flags = [] }: StartOptions = {},
): Promise<RunningService> => {
  const dataDir = settings['DATA_DIR'] ?? (await mkdtemp(join(tmpdir(), 'whittle-check-')))
  const [program = process.execPath, ...args] = [...through, process.execPath, ...flags, entry, 'try']
  const child = spawn(program, args, { env: environmentOf(dataDir, settings), stdio: ['ignore', 'pipe', 'pipe'] })
  const exit = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  const complaints: string[] = []
  const address = await readAddress(child, exit, complaints)
  const pid = child.pid!
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    child.kill(signal)
    await exit
    if (settings['DATA_DIR'] === undefined) await rm(dataDir, { recursive: true, force: true })
  }
  return {
    address,
    pid,
    dataDir,
    complaints,
    ...measurementsOf(pid),
    assertAlive: () => {
      if (child.exitCode === null && child.signalCode === null) return
      throw new Error(
        `The service has ended (${child.signalCode ?? child.exitCode}). ${complaints.slice(-3).join(' ')}`,
      )
    },
    leftovers: async () => (await Promise.all(['spool', 'work'].map((name) => readdir(join(dataDir, name))))).flat(),
    stop: () => end('SIGTERM'),
    kill: () => end('SIGKILL'),
  }
}
