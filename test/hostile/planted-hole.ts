/**
 * Loaded into the child processes of a service: a decoder with a hole. A source that holds `planted:<deed>` makes the child do
 * that deed, as shellcode in a damaged AVIF would, and print what came of it to standard error.
 */
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'

const MARK = /planted:([a-z-]+):([^\n]*)\n/

/** Numbers of system calls by architecture (Linux: arch/x86/entry/syscalls, include/uapi/asm-generic/unistd.h). */
const CALLS: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  x64: {
    ptrace: 101,
    bpf: 321,
    perf_event_open: 298,
    userfaultfd: 323,
    io_uring_setup: 425,
    keyctl: 250,
    mount: 165,
    unshare: 272,
  },
  arm64: {
    ptrace: 117,
    bpf: 280,
    perf_event_open: 241,
    userfaultfd: 282,
    io_uring_setup: 425,
    keyctl: 219,
    mount: 40,
    unshare: 97,
  },
}

/** Makes a raw system call (Perl can); what the kernel said of it, or `done`. */
const call = (number: number): string => {
  const script = `$r = syscall(${number}, 0x10000000, 0, 0, 0, 0, 0); print $r == -1 ? "$!" : "done"`
  const { stdout, error } = spawnSync('perl', ['-e', script], { encoding: 'utf8' })
  return error === undefined ? stdout : 'no perl'
}

const attempt = (deed: () => unknown): string => {
  try {
    deed()
    return 'done'
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? String(error)
  }
}

const dial = (port: number): Promise<string> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket
      .once('connect', () => resolve('done'))
      .once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? ''))
  })

/** Attempts by name; each returns its result. */
const DEEDS: Readonly<Record<string, (argument: string) => Record<string, string> | Promise<Record<string, string>>>> =
  {
    crash: () => {
      process.kill(process.pid, 'SIGSEGV')
      return {}
    },
    calls: () =>
      Object.fromEntries(Object.entries(CALLS[process.arch] ?? {}).map(([name, number]) => [name, call(number)])),
    read: (directory) =>
      Object.fromEntries(
        ['secret', 'accounts.sqlite'].map((name) => [name, attempt(() => readFileSync(`${directory}/${name}`))]),
      ),
    write: (path) => ({ [path]: attempt(() => writeFileSync(path, 'planted')) }),
    kill: (pid) => ({ [pid]: attempt(() => process.kill(Number(pid), 0)) }),
    connect: async (port) => ({ [port]: await dial(Number(port)) }),
    environment: () => ({ names: Object.keys(process.env).sort().join(' ') }),
  }

process.on('message', (message: { readonly kind: string; readonly job?: { readonly path: string } }) => {
  if (message.kind !== 'job' || message.job === undefined) return
  const [, deed = '', argument = ''] = MARK.exec(readFileSync(message.job.path, 'latin1')) ?? []
  const come = DEEDS[deed]?.(argument)
  if (come !== undefined)
    void Promise.resolve(come).then((found) => console.error(`planted ${deed}: ${JSON.stringify(found)}`))
})
