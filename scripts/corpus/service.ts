import { spawn } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

/** The service as its users run it: a process of its own. */
export interface RunningService {
  /** Without a slash at its end. */
  readonly address: string
  readonly pid: number
  readonly dataDir: string
  /** Resident bytes of the server, and of each process that it started. */
  readonly memory: () => Promise<{ readonly server: number; readonly children: readonly number[] }>
  /** The server and every process that it started. */
  readonly processes: () => Promise<readonly number[]>
  /** CPU seconds of the server and of its children so far, those that have ended included. */
  readonly cpuSeconds: () => Promise<number>
  /** Files left in its spool and scratch directories. */
  readonly leftovers: () => Promise<readonly string[]>
  /** Its errors so far. */
  readonly complaints: readonly string[]
  /** Throws when it is no longer there. */
  readonly assertAlive: () => void
  readonly stop: () => Promise<void>
  /** Ends it as the system would, without a chance to tidy up; a directory that was given stays. */
  readonly kill: () => Promise<void>
}

/** Start parameters besides its settings. */
interface How {
  /** Another file of the command than the one in this checkout. */
  readonly entry?: string
  /** A program that runs another one, with its arguments: the service is started through it. */
  readonly through?: readonly string[]
  /** Flags of Node, which its child processes get too. */
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

/** Starts `whittle try` on a free port of loopback; `settings` are more of its environment, its data directory is an empty one unless they name one. */
export const startService = async (
  settings: Readonly<Record<string, string>> = {},
  { entry = MAIN, through = [], flags = [] }: How = {},
): Promise<RunningService> => {
  const dataDir = settings['DATA_DIR'] ?? (await mkdtemp(join(tmpdir(), 'whittle-check-')))
  const [program = process.execPath, ...args] = [...through, process.execPath, ...flags, entry, 'try']
  const child = spawn(program, args, {
    env: {
      ...process.env,
      PORT: '0',
      HOST: '127.0.0.1',
      DATA_DIR: dataDir,
      ALLOW_PRIVATE_SOURCES: '127.0.0.0/8',
      LOG_LEVEL: 'warn',
      ...settings,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const complaints: string[] = []
  const exit = new Promise<void>((done) => child.once('exit', () => done()))
  createInterface({ input: child.stderr }).on('line', (line) => complaints.push(line))
  const address = await new Promise<string>((done, refuse) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      const found = INVITATION.exec(line)?.[1]
      if (found !== undefined) done(found)
      else if (line.startsWith('{')) complaints.push(line)
    })
    void exit.then(() => refuse(new Error(`The service did not start. ${complaints.join(' ')}`)))
  })
  const pid = child.pid!
  const tidy = async (): Promise<void> => {
    if (settings['DATA_DIR'] === undefined) await rm(dataDir, { recursive: true, force: true })
  }
  return {
    address,
    pid,
    dataDir,
    complaints,
    assertAlive: () => {
      if (child.exitCode === null && child.signalCode === null) return
      throw new Error(
        `The service has ended (${child.signalCode ?? child.exitCode}). ${complaints.slice(-3).join(' ')}`,
      )
    },
    memory: async () => ({
      server: await residentBytes(pid),
      children: await Promise.all((await childrenOf(pid)).map(residentBytes)),
    }),
    processes: async () => [pid, ...(await childrenOf(pid))],
    cpuSeconds: () => cpuSecondsOf(pid),
    leftovers: async () => (await Promise.all(['spool', 'work'].map((name) => readdir(join(dataDir, name))))).flat(),
    stop: async () => {
      child.kill('SIGTERM')
      await exit
      await tidy()
    },
    kill: async () => {
      child.kill('SIGKILL')
      await exit
      await tidy()
    },
  }
}
