import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Deadline } from '../core/deadline.ts'
import { MAX_INT32 } from '../core/units.ts'

export interface Program {
  readonly command: string
  readonly args: readonly string[]
  /** Fed to its standard input; none when absent. */
  readonly input?: AsyncIterable<Uint8Array>
  /** Gets each line that it writes to its descriptor 3. */
  readonly onLine?: (line: string) => void
  /** Most milliseconds it may run, whatever the deadline says. */
  readonly killAfter?: number
}

export interface Ended {
  readonly ok: boolean
  readonly output: Buffer
  /** The end of what it said on standard error. */
  readonly said: string
  readonly cpuMs?: number
}

/** Running programs. They share our process group and are killed with it; this handler covers a normal exit. */
const running = new Set<ChildProcess>()
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})

const CLOSED = new Set(['EPIPE', 'ERR_STREAM_PREMATURE_CLOSE', 'ECONNRESET', 'ERR_STREAM_DESTROYED'])

const feed = async (child: ChildProcess, input: AsyncIterable<Uint8Array>, stop: () => void): Promise<unknown> => {
  try {
    await pipeline(Readable.from(input, { highWaterMark: 2 }), child.stdin!)
    return undefined
  } catch (error) {
    // A program that ends early closes the pipe. Its exit code says why.
    if (CLOSED.has((error as NodeJS.ErrnoException).code ?? '')) return undefined
    stop()
    return error
  }
}

const listen = (stream: Readable, onLine: (line: string) => void): void => {
  createInterface({ input: stream }).on('line', onLine)
  // These lines are optional: a broken pipe is ignored.
  stream.on('error', () => undefined)
}

const collect = async (stream: Readable): Promise<Buffer> => {
  const parts: Buffer[] = []
  for await (const part of stream) parts.push(part as Buffer)
  return Buffer.concat(parts)
}

/**
 * Runs another program to its end, or until the deadline or its own time limit kills it; it is then not `ok`.
 * Rejects only when its input breaks, never for what the program does.
 */
export const runProgram = async (program: Program, deadline: Deadline): Promise<Ended> => {
  if (deadline.signal.aborted) return { ok: false, output: Buffer.alloc(0), said: 'no time' }
  const child = spawn(program.command, program.args, {
    stdio: [
      program.input === undefined ? 'ignore' : 'pipe',
      'pipe',
      'pipe',
      program.onLine === undefined ? 'ignore' : 'pipe',
    ],
    timeout: Math.max(1, Math.min(program.killAfter ?? MAX_INT32, Math.ceil(deadline.remaining()))),
    killSignal: 'SIGKILL',
    // The programs need nothing of our environment; TMPDIR is where ffmpeg would put temporary files.
    env: { PATH: process.env['PATH'] ?? '', LANG: 'C' },
  })
  running.add(child)
  const stop = (): void => void child.kill('SIGKILL')
  deadline.signal.addEventListener('abort', stop, { once: true })
  if (program.onLine !== undefined) listen(child.stdio[3] as Readable, program.onLine)
  const exited = new Promise<boolean>((resolve) => {
    child.once('error', () => resolve(false))
    child.once('close', (code) => resolve(code === 0))
  })
  try {
    const fed = program.input === undefined ? undefined : feed(child, program.input, stop)
    const [ok, output, said, broken] = await Promise.all([exited, collect(child.stdout!), collect(child.stderr!), fed])
    if (broken !== undefined) throw broken
    return { ok, output, said: said.toString('utf8').slice(-2000) }
  } finally {
    deadline.signal.removeEventListener('abort', stop)
    running.delete(child)
  }
}
