import { fail } from '../../core/failure.ts'
import type { VideoFormat } from '../../core/image.ts'
import { MIN_STEP_MS } from '../../core/intervals.ts'
import type { Made } from '../../core/outcome.ts'
import { goalFor, PRESET_SCORES } from '../../plan/targets.ts'
import { clearOfDither } from '../dither/clear-of-dither.ts'
import { type MotionJob, presetOf } from '../frames/job.ts'
import { evenSide } from '../frames/raw-frames.ts'
import { chooseEfforts } from './efforts.ts'
import { type Encoding, encodeVideo } from './encode-video.ts'
import { findFfmpeg } from './ffmpeg.ts'
import { encodeToTarget } from './scoring.ts'
import { type SizeBound, searchCrf } from './search-crf.ts'
import { VIDEO_SETTINGS } from './video-settings.ts'

/** Most encodes that a search may take: many of small videos, few of large ones. By size and not by time, so that the same comes out each time. */
const mostTries = (pixels: number): number => (pixels < 5e6 ? 6 : pixels < 20e6 ? 4 : 3)

/** In smaller sources what a container takes counts more than its pictures. */
const MIN_SOURCE_BYTES = 10_000

/** A video serves to send fewer bytes than its source. 1 % is left for its mark and its rights. */
const belowSource = ({ bytes }: MotionJob['facts']): SizeBound | undefined =>
  bytes < MIN_SOURCE_BYTES ? undefined : { maxBytes: 0.99 * bytes, lowestGoal: goalFor(PRESET_SCORES.low) }

const search = (encoding: Encoding): Promise<Made> => {
  const { job, settings, size, scoreTarget } = encoding
  const pixels = size.width * size.height * job.animation.frames
  return searchCrf({
    choice: chooseEfforts(settings.efforts, pixels, job.deadline),
    crf: settings.crf[presetOf(job)],
    axis: settings,
    goal: scoreTarget?.goal,
    sizeBound: belowSource(job.facts),
    most: mostTries(pixels),
    deadline: job.deadline,
    offer: job.offer,
    encode: (effort, crf, encodes) => encodeVideo(encoding, effort, crf, encodes),
  })
}

/** The animation as video of the same duration (§4.3). Fails with PROGRAM_MISSING where no ffmpeg is installed, WORK_TOO_SLOW when nothing was ready in time. */
export const makeVideo = async (asked: MotionJob, format: VideoFormat): Promise<Made> => {
  const settings = VIDEO_SETTINGS[format]
  const found = await findFfmpeg(({ encoders }) => encoders.has(settings.encoder), asked.ffmpegPath)
  if (found === undefined) throw fail('PROGRAM_MISSING', `format=${format}`, `ffmpeg with ${settings.encoder}`)
  const job = await clearOfDither(asked)
  const { width, height } = job.transform.geometry.output
  const size = { width: evenSide(width), height: evenSide(height) }
  const encoding: Encoding = { job, format, ffmpeg: found.path, settings, size }
  const request = { job, ffmpeg: found.path, size, chroma: 'yuv420p', leastMs: MIN_STEP_MS } as const
  return encodeToTarget(request, (scoreTarget) => search({ ...encoding, scoreTarget }))
}
