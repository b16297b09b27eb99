import { spawn } from 'node:child_process'

/** One run of a command. */
export interface Run {
  readonly status: number | null
  readonly stdout: string
  readonly stderr: string
  /** Wall clock, seconds. */
  readonly seconds: number
  /** Processor time of the command and of all that it started, seconds. */
  readonly cpuSeconds: number
}

interface Setting {
  readonly env: NodeJS.ProcessEnv
  /** Sends Ctrl-C after this many ms. */
  readonly interruptAfter?: number
}

/** The shell prints the time of a command and its children: real, user and system time. */
const TIMED = 'TIMEFORMAT="%3R %3U %3S"; trap : INT; time "$@"'

/** Runs a Node program to its end. */
export const runTimed = (program: string, args: readonly string[], { env, interruptAfter }: Setting): Promise<Run> =>
  new Promise((done) => {
    const command = ['-c', TIMED, 'bash', process.execPath, program, ...args]
    // In a group of its own, as in a terminal, where Ctrl-C reaches every process of a command.
    const child = spawn('bash', command, { env, detached: true })
    const told = { stdout: '', stderr: '' }
    child.stdout.on('data', (chunk: Buffer) => {
      told.stdout += chunk.toString()
    })
    child.stderr.on('data', (chunk: Buffer) => {
      told.stderr += chunk.toString()
    })
    const timer =
      interruptAfter === undefined ? undefined : setTimeout(() => process.kill(-child.pid!, 'SIGINT'), interruptAfter)
    child.once('close', (status) => {
      clearTimeout(timer)
      const [times = '', ...lines] = told.stderr.trimEnd().split('\n').toReversed()
      const [seconds = 0, user = 0, system = 0] = times.split(' ').map(Number)
      done({
        status,
        stdout: told.stdout,
        stderr: lines.toReversed().join('\n'),
        seconds,
        cpuSeconds: user + system,
      })
    })
  })
