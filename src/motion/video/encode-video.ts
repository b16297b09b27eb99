import { join } from 'node:path'
import type { Extent, VideoFormat } from '../../core/image.ts'
import { boundsFor } from '../../plan/targets.ts'
import { describe, type MotionJob, presetOf } from '../frames/job.ts'
import { encodingArguments, rawFrames, reportFrames } from '../frames/raw-frames.ts'
import { sumOf } from '../frames/timing.ts'
import { runProgram } from '../run-program.ts'
import type { EncoderEffort } from './efforts.ts'
import type { Ffmpeg } from './ffmpeg.ts'
import { type ScoreTarget, scoreEncode } from './scoring.ts'
import type { VideoTrial } from './search-crf.ts'
import { stampVideo } from './stamp-video.ts'
import { refsFor, type VideoSettings } from './video-settings.ts'

/** Shared by all encodes of one video. */
export interface Encoding {
  readonly job: MotionJob
  readonly format: VideoFormat
  readonly ffmpeg: Ffmpeg
  readonly settings: VideoSettings
  readonly size: Extent
  /** Absent where nothing is scored. */
  readonly scoreTarget?: ScoreTarget | undefined
}

/** Players take a frame's time from the next one's; the last has only its own, which B-frames of MP4 would bend. */
const needsDecodeOrder = (delays: readonly number[]): boolean => delays.length > 1 && delays.at(-1) !== delays.at(-2)

/** Encodes by one effort, all its passes; undefined when time ran out. */
const encode = async (encoding: Encoding, effort: EncoderEffort, crf: number): Promise<Buffer | undefined> => {
  const { job, ffmpeg, settings, size, format } = encoding
  const log = join(job.directory, `${format}-pass`)
  const many = effort.passes.length > 1
  let written: Buffer | undefined
  for (const [number, args] of effort.passes.entries()) {
    const encoder = [
      ...settings.args(crf, ffmpeg),
      ...args,
      ...(effort.refs === true ? ['-refs', String(refsFor(size))] : []),
      ...(many ? ['-passlogfile', log] : []),
      ...(format === 'h264' && needsDecodeOrder(job.delays) ? ['-bf', '0'] : []),
    ]
    const output = number === effort.passes.length - 1 ? ['-f', 'matroska', 'pipe:1'] : ['-f', 'null', 'pipe:1']
    const ended = await job.time('encode', () =>
      runProgram(
        {
          command: ffmpeg.path,
          args: encodingArguments(size, 'yuv420p', encoder, output),
          input: rawFrames(job, size),
          onLine: reportFrames(job, many ? `encode pass ${number + 1}` : 'encode'),
        },
        job.deadline,
      ),
    )
    if (ended.kind === 'late') return undefined
    if (ended.kind === 'failed') throw new Error(`ffmpeg failed: ${ended.errors}`)
    written = ended.output
  }
  return written
}

const limitOf = (ceiling: number): string =>
  `Video has colour at half the resolution: this animation can score ${Math.round(ceiling)} at most, and is measured against that.`

const colourWarning = (job: MotionJob, shift = 0): string[] => {
  const preset = presetOf(job)
  const { tileColour } = boundsFor(preset, 1)
  if (shift <= tileColour) return []
  return [
    `Colour of small areas is off by ${shift.toFixed(1)} where quality=${preset} allows ${tileColour}: video has colour at half the resolution.`,
  ]
}

const warningsOf = ({ job, scoreTarget }: Encoding, shift?: number): string[] => [
  ...(scoreTarget?.metric.ceiling === undefined ? [] : [limitOf(scoreTarget.metric.ceiling)]),
  ...colourWarning(job, shift),
]

/** One encode, stamped and scored; undefined when time ran out. */
export const encodeVideo = async (
  encoding: Encoding,
  effort: EncoderEffort,
  crf: number,
  encodes: number,
): Promise<VideoTrial | undefined> => {
  const { job, format, size, scoreTarget } = encoding
  const began = performance.now()
  const matroska = await encode(encoding, effort, crf)
  if (matroska === undefined) return undefined
  const container = format === 'h264' ? 'mp4' : 'webm'
  const path = join(job.directory, `${effort.name.replaceAll(' ', '-')}-${crf}.${container}`)
  await job.time('mux', () => stampVideo({ matroska, container, delays: job.delays, path }))
  const { effectiveScore, tileColour, known } = await scoreEncode(job, scoreTarget, matroska)
  const file = await describe(job, { format, path, encodes, ...size, durationMs: sumOf(job.delays), ...known })
  return {
    file: { ...file, warnings: [...file.warnings, ...warningsOf(encoding, tileColour)] },
    crf,
    effectiveScore,
    seconds: (performance.now() - began) / 1000,
  }
}
