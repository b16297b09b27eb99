import { resolve } from 'node:path'
import { type Confinement, findConfinement } from '../engine/pool/confinement.ts'
import { openPool, type Pool } from '../engine/pool/pool.ts'
import { findFfmpeg, isFromNpm } from '../motion/video/ffmpeg.ts'
import type { Log } from '../ports/telemetry.ts'
import type { Surroundings } from './surroundings.ts'

const tellConfinement = (log: Log, { withheld }: Confinement): void =>
  withheld.length > 0
    ? log.info({ withheld }, 'child processes, which work on what strangers sent, have none of what is withheld')
    : log.warn({}, 'nothing confines child processes here: see docs/operations.md, "Confinement"')

const tellFfmpeg = async ({ log, settings }: Surroundings): Promise<void> => {
  const ffmpeg = await findFfmpeg(() => true, settings.ffmpegPath)
  if (ffmpeg === undefined) return log.warn({}, 'there is no ffmpeg: video and animated AVIF get 501. Install it')
  const { path, version } = ffmpeg
  if (!isFromNpm(ffmpeg)) return log.info({ path, version }, 'video is made by this ffmpeg')
  log.warn(
    { path, version },
    "video is made by the old ffmpeg that npm installed: install the system's, or set FFMPEG_PATH",
  )
}

export const openOurPool = async (surroundings: Surroundings, onRestart: () => void): Promise<Pool> => {
  const { settings, log, directory } = surroundings
  const confinement = await findConfinement({
    memoryLimit: settings.workerMemoryLimit,
    hidden: resolve(settings.dataDir),
    writable: [directory.work, directory.temporary],
  })
  tellConfinement(log, confinement)
  await tellFfmpeg(surroundings)
  const noticed = new Set<string>()
  return openPool({
    confinement,
    temporary: directory.temporary,
    workers: settings.workers,
    queueLimit: settings.queueLimit,
    maxJobs: settings.workerMaxJobs,
    maxMemory: settings.workerMaxMemory,
    restMemory: settings.workerRestMemory,
    memoryLimit: settings.workerMemoryLimit,
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
