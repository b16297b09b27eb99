import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { seccompFilter } from './seccomp.ts'

const run = promisify(execFile)

/** A program that runs another one with fewer rights, and what it takes away. */
interface Confiner {
  readonly command: readonly string[]
  readonly takesAway: string
  /** Whether the system ends the child with its parent. */
  readonly endsWithParent?: true
}

/**
 * Bytes of private memory that a child may map beyond the resident bytes at which the pool kills it. They are for stacks, and for heaps
 * that are not filled (0.6 GB in an idle child, measured). The limit stops a single request for 10 GB, which 20 checks a second miss.
 * RLIMIT_DATA and not RLIMIT_AS: WebAssembly reserves 10 GB of addresses for each memory, which are no memory.
 */
const MAPPED_BEYOND = 1e9

const limits = (memoryLimit: number): Confiner => ({
  command: ['prlimit', '--core=0', `--data=${Math.round(memoryLimit + MAPPED_BEYOND)}`, '--'],
  takesAway: 'core dumps and more memory',
})

/** Limits of child processes. */
export interface SandboxSpec {
  /** Resident bytes at which children are ended. */
  readonly memoryLimit: number
  /** Directory of the service's own files (accounts, secret, results), which children do not see … */
  readonly hidden?: string
  /** … but for these within it, the only ones anywhere that they can write. */
  readonly writable?: readonly string[]
}

/** A view of the system in which nothing can be written and the service's own files are not there (bubblewrap). */
const ownView = ({ hidden = '', writable = [] }: SandboxSpec): Confiner => ({
  command: [
    ...['bwrap', '--die-with-parent', '--unshare-net', '--unshare-ipc', '--unshare-pid'],
    ...['--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc', '--tmpfs', hidden],
    ...writable.flatMap((directory) => ['--bind', directory, directory]),
    '--',
  ],
  takesAway: 'network, files of the service, writing elsewhere, sight of other processes',
  endsWithParent: true,
})

/** The same with a filter of system calls, which bubblewrap takes from an open file. */
const filtered = ({ command: [program = '', ...args], ...confiner }: Confiner, filter: string): Confiner => ({
  ...confiner,
  command: ['sh', '-c', 'filter=$1; shift; exec "$@" 9<"$filter"', 'sh', filter, program, '--seccomp', '9', ...args],
  takesAway: `${confiner.takesAway}, system calls that decoders do not need`,
})

/** Alternatives for each kind of confinement, the best first. The first that works on this machine is used. */
const choicesFor = (sandbox: SandboxSpec, filter: string | undefined): readonly (readonly Confiner[])[] => [
  [
    ...(sandbox.hidden === undefined || filter === undefined ? [] : [filtered(ownView(sandbox), filter)]),
    ...(sandbox.hidden === undefined ? [] : [ownView(sandbox)]),
    { command: ['unshare', '--net', '--ipc', '--'], takesAway: 'network' },
    { command: ['unshare', '--user', '--map-current-user', '--net', '--ipc', '--'], takesAway: 'network' },
  ],
  [
    {
      command: ['setpriv', '--pdeathsig', 'KILL', '--no-new-privs', '--'],
      takesAway: 'new rights',
      endsWithParent: true,
    },
    { command: ['setpriv', '--no-new-privs', '--'], takesAway: 'new rights' },
  ],
  [
    ...(Number.isFinite(sandbox.memoryLimit) ? [limits(sandbox.memoryLimit)] : []),
    { command: ['prlimit', '--core=0', '--'], takesAway: 'core dumps' },
  ],
]

/** How child processes are started on this machine. */
export interface Confinement {
  /** Stands before the command line of a child; may be empty. */
  readonly command: readonly string[]
  /** Resources withheld from children, in words for the log. */
  readonly withheld: readonly string[]
  /** Whether the system ends children with their parent; otherwise they watch it themselves. */
  readonly endsWithParent: boolean
}

/** No confinement: the system has none of these programs, or forbids what they do. */
export const UNCONFINED: Confinement = { command: [], withheld: [], endsWithParent: false }

const works = async (command: readonly string[]): Promise<boolean> => {
  const [program = '', ...args] = command
  try {
    // A busy machine must not reach this limit: children would get more rights. Chosen, not measured.
    await run(program, [...args, 'true'], { timeout: 60_000 })
    return true
  } catch {
    return false
  }
}

const firstThatWorks = async (
  choice: readonly Confiner[],
  before: readonly string[],
): Promise<Confiner | undefined> => {
  for (const one of choice) if (await works([...before, ...one.command])) return one
  return undefined
}

/** Writes the filter of system calls next to the service's own files; undefined where there is none for this machine. */
const writeFilter = async ({ hidden }: SandboxSpec): Promise<string | undefined> => {
  const filter = process.platform === 'linux' ? seccompFilter(process.arch) : undefined
  if (hidden === undefined || filter === undefined) return undefined
  const path = join(hidden, 'seccomp.bpf')
  return writeFile(path, filter, { mode: 0o600 }).then(
    () => path,
    () => undefined,
  )
}

/** Finds the confinement that works on this machine. Each program runs within those before it. */
export const findConfinement = async (sandbox: SandboxSpec): Promise<Confinement> => {
  let found = UNCONFINED
  const filter = await writeFilter(sandbox)
  for (const choice of choicesFor(sandbox, filter)) {
    const one = await firstThatWorks(choice, found.command)
    if (one === undefined) continue
    found = {
      command: [...found.command, ...one.command],
      withheld: [...found.withheld, one.takesAway],
      endsWithParent: found.endsWithParent || one.endsWithParent === true,
    }
  }
  return found
}
