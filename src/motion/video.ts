import { join } from 'node:path'
import { fail } from '../core/failure.ts'
import type { Extent, VideoFormat } from '../core/image.ts'
import type { Made } from '../core/outcome.ts'
import type { Preset } from '../options/options.ts'
import { findFfmpeg } from './ffmpeg.ts'
import { describe, type MotionJob } from './job.ts'
import { encodingArguments, evenSide, rawFrames } from './raw-frames.ts'
import { runProgram } from './run-program.ts'
import { stampVideo } from './stamp-video.ts'
import { sumOf } from './timing.ts'
import { type Effort, VIDEO_SETTINGS, type VideoSettings } from './video-settings.ts'

/** Players take a frame's time from the next one's; the last has only its own, which B-frames of MP4 would bend. */
const needsOrder = (delays: readonly number[]): boolean => delays.length > 1 && delays.at(-1) !== delays.at(-2)

interface Encoding {
  readonly job: MotionJob
  readonly format: VideoFormat
  readonly ffmpeg: string
  readonly settings: VideoSettings
  readonly size: Extent
}

const crfFor = ({ job, settings }: Encoding): number => {
  const { target } = job.plan
  const preset: Exclude<Preset, 'lossless'> = target.kind === 'lossless' ? 'high' : target.preset
  return settings.crf[preset]
}

/** Encodes by one effort, all its passes; undefined when time ran out or ffmpeg gave up. */
const encode = async (encoding: Encoding, effort: Effort): Promise<Buffer | undefined> => {
  const { job, ffmpeg, settings, size, format } = encoding
  const log = join(job.directory, `${format}-pass`)
  let written: Buffer | undefined
  for (const [number, args] of effort.passes.entries()) {
    const last = number === effort.passes.length - 1
    const encoder = [
      ...settings.args(crfFor(encoding)),
      ...args,
      ...(effort.passes.length > 1 ? ['-passlogfile', log] : []),
      ...(format === 'h264' && needsOrder(job.delays) ? ['-bf', '0'] : []),
    ]
    const output = last ? ['-f', 'matroska', 'pipe:1'] : ['-f', 'null', 'pipe:1']
    const command = {
      command: ffmpeg,
      args: encodingArguments(size, 'yuv420p', encoder, output),
      input: rawFrames(job, size),
    }
    const ended = await job.time('encode', () => runProgram(command, job.deadline))
    if (!ended.ok) {
      if (job.deadline.signal.aborted) return undefined
      throw new Error(`ffmpeg failed: ${ended.said}`)
    }
    written = ended.output
  }
  return written
}

const make = async (encoding: Encoding, effort: Effort, encodes: number): Promise<Made | undefined> => {
  const { job, format, size } = encoding
  const matroska = await encode(encoding, effort)
  if (matroska === undefined) return undefined
  const path = join(job.directory, `${effort.name.replace(' ', '-')}.${format === 'h264' ? 'mp4' : 'webm'}`)
  await job.time('mux', () =>
    stampVideo({ matroska, container: format === 'h264' ? 'mp4' : 'webm', delays: job.delays, path }),
  )
  const made = await describe(job, { format, path, encodes, ...size, durationMs: sumOf(job.delays) })
  return { ...made, warnings: [...made.warnings, ...remarks(job, made)] }
}

const remarks = (job: MotionJob, made: Made): string[] =>
  made.bytes >= job.facts.bytes
    ? [`The video is larger than the source (${made.bytes} instead of ${job.facts.bytes} bytes).`]
    : []

/** Efforts that are worth trying: the quickest only as a safeguard, where the better one may not end in time. */
const chooseEfforts = ({ settings, job, size }: Encoding): Effort[] => {
  const pixels = size.width * size.height * job.animation.frames
  const seconds = job.deadline.remaining() / 1000
  const cost = (effort: Effort): number => 0.3 + (pixels / 1e6) * effort.secondsPerMegapixel
  const able = settings.efforts.filter((effort) => pixels <= effort.mostPixels)
  const best = able.findLast((effort) => cost(effort) < seconds) ?? able[0]!
  // Half of the time left: then even a busy machine gets there.
  return cost(best) * 2 < seconds || best === able[0] ? [best] : [able[0]!, best]
}

/** The animation as video of the same duration (§4.3). Fails with NOT_BUILT where no ffmpeg is installed, WORK_TOO_SLOW when nothing was ready in time. */
export const makeVideo = async (job: MotionJob, format: VideoFormat): Promise<Made> => {
  const settings = VIDEO_SETTINGS[format]
  const found = await findFfmpeg(({ encoders }) => encoders.has(settings.encoder), job.ffmpegPath)
  if (found === undefined) throw fail('NOT_BUILT', `format=${format}, which needs ffmpeg with ${settings.encoder},`)
  const { width, height } = job.recipe.geometry.output
  const encoding: Encoding = {
    job,
    format,
    ffmpeg: found.path,
    settings,
    size: { width: evenSide(width), height: evenSide(height) },
  }
  let best: Made | undefined
  const efforts = chooseEfforts(encoding)
  for (const [index, effort] of efforts.entries()) {
    const made = await make(encoding, effort, index + 1)
    if (made === undefined)
      return best === undefined ? Promise.reject(fail('WORK_TOO_SLOW')) : { ...best, cutShort: true }
    if (best === undefined || made.bytes < best.bytes) {
      best = made
      job.offer(made)
    }
  }
  return best ?? Promise.reject(fail('WORK_TOO_SLOW'))
}
