import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { WATCH_PARENT } from '../../protocol.ts'
import type { Confinement } from '../confinement/confinement.ts'

/** Path of the child's program: TypeScript under type stripping, JavaScript after the build. */
const WORKER = fileURLToPath(
  new URL(`../../child/worker${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`, import.meta.url),
)

/** Environment variables that children inherit. They get no secrets, such as database addresses and keys. */
const CHILD_ENVIRONMENT = [
  'PATH',
  'HOME',
  'LANG',
  'TMPDIR',
  'TZ',
  'FONTCONFIG_FILE',
  'FONTCONFIG_PATH',
  'FFMPEG_PATH',
  'KERNEL_VECTORS',
  'LD_LIBRARY_PATH',
  'NODE_COMPILE_CACHE',
]

/**
 * Settings of glibc's allocator. It keeps an arena for each thread, and freed buffers of an image stay in them. These settings keep two
 * arenas, and return buffers from 1 MB on at once: after the tiles of an AVIF of 48 megapixels 20 MB stay, and 245 MB with 16 MB. CPU is the
 * same: ten photographs as JPEG and as WebP of 800 px, and as JPEG of 2 to 10 megapixels (lab/search.md).
 */
const ALLOCATOR: NodeJS.ProcessEnv = {
  MALLOC_ARENA_MAX: '2',
  MALLOC_MMAP_THRESHOLD_: '1000000',
  MALLOC_TRIM_THRESHOLD_: '8000000',
}

const childEnvironment = (temporary: string | undefined): NodeJS.ProcessEnv => ({
  ...ALLOCATOR,
  ...Object.fromEntries(
    CHILD_ENVIRONMENT.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])),
  ),
  ...(temporary === undefined ? {} : { TMPDIR: temporary }),
})

const flags = (): readonly string[] => [
  ...process.execArgv.filter((flag) => !flag.startsWith('--inspect')),
  '--disable-warning=ExperimentalWarning',
]

/** Settings for starting children. */
export interface ForkSettings {
  readonly confinement: Confinement
  /** Directory for temporary files of children, readable by this user only; the system's by default. */
  readonly temporary?: string
}

/** Starts a child process as the leader of its own process group. */
export const forkChild = ({ confinement, temporary }: ForkSettings): ChildProcess => {
  const [execPath = process.execPath, ...execArgv] = [...confinement.command, process.execPath, ...flags()]
  return fork(WORKER, confinement.endsWithParent ? [] : [WATCH_PARENT], {
    detached: true,
    execPath,
    execArgv,
    env: childEnvironment(temporary),
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
}
