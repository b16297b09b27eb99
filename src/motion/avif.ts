import { readFile, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { fail } from '../core/failure.ts'
import type { Made } from '../core/outcome.ts'
import type { Preset } from '../options/options.ts'
import { AVIF_ENCODER, writesAvif } from './animated-avif.ts'
import { findFfmpeg } from './ffmpeg.ts'
import { describe, type MotionJob } from './job.ts'
import { encodingArguments, hearFrames, rawFrames } from './raw-frames.ts'
import { runProgram } from './run-program.ts'
import { stampVideo } from './stamp-video.ts'

const CRF: Readonly<Record<Preset, number>> = { low: 44, medium: 34, high: 24, lossless: 24 }
const LOSES_ALPHA = 'Animated AVIF is made without transparency here: it is flattened onto bgcolor.'

const presetOf = ({ plan }: MotionJob): Preset => (plan.target.kind === 'lossless' ? 'lossless' : plan.target.preset)

/** Runs ffmpeg; WORK_TOO_SLOW when time ran out. */
const run = async (job: MotionJob, program: Parameters<typeof runProgram>[0]): Promise<void> => {
  const { ok, said } = await runProgram(program, job.deadline)
  if (!ok) throw job.deadline.signal.aborted ? fail('WORK_TOO_SLOW') : new Error(`ffmpeg failed: ${said}`)
}

const remarks = ({ facts, animation, warnings }: MotionJob): string[] => [
  ...warnings,
  ...(facts.alpha ? [LOSES_ALPHA] : []),
  ...(animation.loop === 0 ? [] : [`Animated AVIF plays for ever here, the source ${animation.loop} times.`]),
]

/**
 * The animation as AVIF: AV1 at full chroma by the encoders' clock, stamped with the true times as MP4, from which ffmpeg
 * copies packets into AVIF, times and all. Fails with PROGRAM_MISSING without a suitable ffmpeg, or WORK_TOO_SLOW.
 */
export const makeAvif = async (job: MotionJob): Promise<Made> => {
  const found = await findFfmpeg(writesAvif, job.ffmpegPath)
  if (found === undefined) throw fail('PROGRAM_MISSING', 'Animated AVIF', `ffmpeg 5.1 with ${AVIF_ENCODER}`)
  const size = job.recipe.geometry.output
  // Not through a pipe: what heads an AV1 stream in Matroska is known only at its end.
  const encoded = join(job.directory, 'av1.mkv')
  const encoder = [
    '-c:v',
    AVIF_ENCODER,
    '-b:v',
    '0',
    '-crf',
    String(CRF[presetOf(job)]),
    '-cpu-used',
    '6',
    '-row-mt',
    '1',
  ]
  const args = encodingArguments(size, 'yuv444p', encoder, ['-f', 'matroska', encoded])
  await job.time('encode', () =>
    run(job, { command: found.path, args, input: rawFrames(job, size), hear: hearFrames(job, 'encode') }),
  )
  const stamped = join(job.directory, 'stamped.mp4')
  const path = join(job.directory, 'animation.avif')
  await job.time('mux', async () => {
    await stampVideo({ matroska: await readFile(encoded), container: 'mp4', delays: job.delays, path: stamped })
    const part = `${path}.part`
    await run(job, {
      command: found.path,
      args: ['-nostdin', '-loglevel', 'error', '-i', stamped, '-c', 'copy', '-f', 'avif', part],
    })
    await rename(part, path)
  })
  const made = await describe(job, { format: 'avif', path, encodes: 1, warnings: remarks(job), loopCount: 0 })
  job.offer(made)
  return made
}
