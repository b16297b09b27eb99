import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, existsSync, openSync } from 'node:fs'
import { createServer } from 'node:net'
import { delimiter, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'

// Real servers as children of this process, on loopback: what the tests of several nodes run against.

/** A server that can be taken away and brought back under the same address, with what it stored. */
export interface StoreServer extends AsyncDisposable {
  readonly url: string
  /** Ends it as an operator would; what it stored stays. */
  readonly stop: () => Promise<void>
  /** Starts it again, and resolves once it answers. */
  readonly start: () => Promise<void>
}

/** Existing directory for the logs of nodes and nginx. */
export const LOGS = process.env['CLUSTER_LOGS']

export const run = promisify(execFile)

/** A program of the system; throws a sentence that names the Debian package when it is missing. */
export const findProgram = (name: string, debianPackage: string, more: readonly string[] = []): string => {
  const places = [...more, ...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin', '/usr/bin']
  const found = places.map((place) => join(place, name)).find((path) => existsSync(path))
  if (found === undefined)
    throw new Error(`${name} is missing: apt-get install --no-install-recommends ${debianPackage}`)
  return found
}

/** Ports below those that Linux gives to outgoing connections and to servers on port 0: no such socket takes one while its server restarts. */
const PORTS = { from: 10_000, count: 20_000 }
let nextPort = Math.floor(Math.random() * PORTS.count)

const isFree = async (port: number): Promise<boolean> => {
  const server = createServer()
  try {
    await once(server.listen(port, '127.0.0.1'), 'listening')
    return true
  } catch {
    return false
  } finally {
    server.close()
  }
}

/** A free TCP port of loopback, which this process has not been given before. */
export const freePort = async (): Promise<number> => {
  for (let tries = 0; tries < PORTS.count; tries++) {
    const port = PORTS.from + (nextPort++ % PORTS.count)
    if (await isFree(port)) return port
  }
  throw new Error('There is no free port.')
}

/** Asks until `answers` does not throw, at most for `ms`; throws what it threw last. */
export const until = async <T>(answers: () => Promise<T>, ms = 100_000): Promise<T> => {
  const end = performance.now() + ms
  for (;;) {
    try {
      return await answers()
    } catch (error) {
      if (performance.now() > end) throw error
      await sleep(50)
    }
  }
}

const running = new Set<ChildProcess>()
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})

/** A child that is killed with this process at the latest. */
export const startChild = (
  program: string,
  args: readonly string[],
  options: {
    readonly uid?: number
    readonly gid?: number
    readonly env?: NodeJS.ProcessEnv
    readonly cwd?: string
    /** File that what it prints is added to. */
    readonly log?: string
  } = {},
): ChildProcess => {
  const { log, ...rest } = options
  const output = log === undefined ? 'ignore' : openSync(log, 'a')
  const child = spawn(program, args, { stdio: ['ignore', output, output], ...rest })
  if (output !== 'ignore') closeSync(output)
  running.add(child)
  child.once('exit', () => running.delete(child))
  child.once('error', () => running.delete(child))
  return child
}

/** Ends a child by `signal`, after a minute by SIGKILL; resolves when it is gone. */
export const endChild = async (child: ChildProcess, signal: NodeJS.Signals = 'SIGTERM'): Promise<void> => {
  if (child.exitCode !== null || child.signalCode !== null) return
  const gone = once(child, 'exit')
  child.kill(signal)
  const timer = setTimeout(() => child.kill('SIGKILL'), 60_000)
  await gone
  clearTimeout(timer)
}
