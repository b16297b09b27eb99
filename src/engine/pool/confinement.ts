import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** A program that runs another one with fewer rights, and what it takes away. */
interface Confiner {
  readonly command: readonly string[]
  readonly takesAway: string
  /** Whether the system ends the child with its parent. */
  readonly endsWithParent?: true
}

/** Ways to the same end, the best first; the first that works here is taken. */
const CHOICES: readonly (readonly Confiner[])[] = [
  [
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
  [{ command: ['prlimit', '--core=0', '--'], takesAway: 'core dumps' }],
]

/** What child processes are started through on this machine. */
export interface Confinement {
  /** Stands before the command line of a child; may be empty. */
  readonly command: readonly string[]
  /** What children cannot have, in words for the log. */
  readonly withheld: readonly string[]
  /** Whether the system ends children with their parent; else they have to see for themselves. */
  readonly endsWithParent: boolean
}

/** Without any of it: a system that has none of these programs, or does not let them do anything. */
export const UNCONFINED: Confinement = { command: [], withheld: [], endsWithParent: false }

const works = async (command: readonly string[]): Promise<boolean> => {
  const [program = '', ...args] = command
  try {
    await run(program, [...args, 'true'], { timeout: 5000 })
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

/** Tries what the system offers against what a child must not do, each within the ones before; takes a few hundredths of a second. */
export const findConfinement = async (): Promise<Confinement> => {
  let found = UNCONFINED
  for (const choice of CHOICES) {
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
