import { resolve } from 'node:path'
import { type Confinement, findConfinement } from '../engine/pool/confinement/confinement.ts'
import { openPool, type Pool } from '../engine/pool/pool.ts'
import { assertSharp } from '../engine/pool/process/assert-sharp.ts'
import { workerMemory } from '../engine/pool/worker-memory.ts'
import { findFfmpeg, isFromNpm } from '../motion/video/ffmpeg.ts'
import type { Log } from '../ports/telemetry.ts'
import type { AppContext } from './app-context.ts'
import { startProblem } from './start-problem.ts'

const logConfinement = (log: Log, { withheld }: Confinement): void =>
  withheld.length > 0
    ? log.info({ withheld }, 'child processes decode untrusted images and have none of the withheld rights')
    : log.warn({}, 'nothing confines child processes here: see docs/operations.md, "Confinement"')

const logFfmpeg = async ({ log, settings }: AppContext): Promise<void> => {
  const ffmpeg = await findFfmpeg(() => true, settings.ffmpegPath)
  const configured = settings.ffmpegPath
  if (configured !== undefined && configured !== ffmpeg?.path)
    log.warn({ configured }, 'FFMPEG_PATH names no ffmpeg that can be run, so another one is looked for')
  if (ffmpeg === undefined) return log.warn({}, 'there is no ffmpeg: video and animated AVIF get 501. Install it')
  const { path, version } = ffmpeg
  if (!isFromNpm(ffmpeg)) return log.info({ path, version }, 'video is made by this ffmpeg')
  log.warn(
    { path, version },
    "video is made by the old ffmpeg that npm installed: install the system's, or set FFMPEG_PATH",
  )
}

const assertSharpAtStart = (): void => {
  try {
    assertSharp()
  } catch (error) {
    throw startProblem((error as Error).message, error)
  }
}

/** Opens the pool of child processes by the settings, and logs how they are confined. Throws a StartProblem without a usable sharp. */
export const openOurPool = async (context: AppContext, onRestart: () => void): Promise<Pool> => {
  const { settings, log, directory } = context
  assertSharpAtStart()
  const memoryLimit = settings.workerMemoryLimit ?? workerMemory(settings.workers)
  const confinement = await findConfinement({
    memoryLimit,
    hidden: resolve(settings.dataDir),
    writable: [directory.work, directory.temporary],
  })
  logConfinement(log, confinement)
  await logFfmpeg(context)
  const noticed = new Set<string>()
  return openPool({
    confinement,
    temporary: directory.temporary,
    workers: settings.workers,
    // Without it the first image would wait 0.8 s for a child (two cores, `npm start`).
    ahead: 1,
    queueLimit: settings.queueLimit,
    maxJobs: settings.workerMaxJobs,
    maxMemory: settings.workerMaxMemory,
    restMemory: settings.workerRestMemory,
    memoryLimit,
    onRestart: (why) => {
      onRestart()
      if (why === 'crashed') log.warn({ why }, 'a child process was replaced')
    },
    onNotice: (message) => {
      if (!noticed.has(message)) log.warn({}, message)
      noticed.add(message)
    },
  })
}
