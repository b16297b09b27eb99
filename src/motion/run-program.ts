import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Deadline } from '../core/deadline.ts'

export interface Program {
  readonly command: string
  readonly args: readonly string[]
  /** Fed to its standard input; none when absent. */
  readonly input?: AsyncIterable<Uint8Array>
  /** Gets each line that it writes to its descriptor 3. */
  readonly onLine?: (line: string) => void
  /** ms that it may run, whatever the deadline says. */
  readonly killAfter?: number
}

/** How a program ended: with success, with the end of what it wrote to standard error, or killed by the deadline or its own limit. */
export type Ended =
  | { readonly kind: 'done'; readonly output: Buffer }
  | { readonly kind: 'failed'; readonly errors: string }
  | { readonly kind: 'late' }

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

/** Runs another program to its end, or until the deadline or its own limit kills it. Rejects only when its input breaks, never for what the program does. */
export const runProgram = async (program: Program, deadline: Deadline): Promise<Ended> => {
  if (deadline.signal.aborted) return { kind: 'late' }
  const child = spawn(program.command, program.args, {
    stdio: [
      program.input === undefined ? 'ignore' : 'pipe',
      'pipe',
      'pipe',
      program.onLine === undefined ? 'ignore' : 'pipe',
    ],
    // The programs need nothing of our environment; TMPDIR is where ffmpeg would put temporary files.
    env: { PATH: process.env['PATH'] ?? '', LANG: 'C' },
  })
  running.add(child)
  const stop = (): void => void child.kill('SIGKILL')
  let isLate = false
  const endLate = (): void => {
    isLate = true
    stop()
  }
  deadline.signal.addEventListener('abort', endLate, { once: true })
  const limit = program.killAfter === undefined ? undefined : setTimeout(endLate, program.killAfter)
  if (program.onLine !== undefined) listen(child.stdio[3] as Readable, program.onLine)
  const exited = new Promise<boolean>((resolve) => {
    child.once('error', () => resolve(false))
    child.once('close', (code) => resolve(code === 0))
  })
  try {
    const fed = program.input === undefined ? undefined : feed(child, program.input, stop)
    const [ok, output, errors, broken] = await Promise.all([
      exited,
      collect(child.stdout!),
      collect(child.stderr!),
      fed,
    ])
    if (broken !== undefined) throw broken
    if (ok) return { kind: 'done', output }
    return isLate ? { kind: 'late' } : { kind: 'failed', errors: errors.toString('utf8').slice(-2000) }
  } finally {
    clearTimeout(limit)
    deadline.signal.removeEventListener('abort', endLate)
    running.delete(child)
  }
}
