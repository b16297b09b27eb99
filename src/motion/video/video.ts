import { fail } from '../../core/failure.ts'
import type { VideoFormat } from '../../core/image.ts'
import { MIN_STEP_MS } from '../../core/intervals.ts'
import type { Made } from '../../core/outcome.ts'
import { clearOfDither } from '../dither/clear-of-dither.ts'
import { type MotionJob, presetOf } from '../frames/job.ts'
import { evenSide } from '../frames/raw-frames.ts'
import { chooseEfforts } from './efforts.ts'
import { type Encoding, encodeVideo } from './encode-video.ts'
import { findFfmpeg } from './ffmpeg.ts'
import { LOWEST_GOAL, mayBeLowered } from './lowered-goal.ts'
import { encodeToTarget } from './scoring.ts'
import { searchCrf } from './search-crf.ts'
import { VIDEO_SETTINGS } from './video-settings.ts'

/** Most encodes that a search may take: many of small videos, few of large ones. By size and not by time, so that the same comes out each time. */
const mostTries = (pixels: number): number => (pixels < 5e6 ? 6 : pixels < 20e6 ? 4 : 3)

const search = (encoding: Encoding, preset = presetOf(encoding.job)): Promise<Made> => {
  const { job, settings, size, scoreTarget } = encoding
  const pixels = size.width * size.height * job.animation.frames
  return searchCrf({
    choice: chooseEfforts(settings.efforts, pixels, job.deadline),
    crf: settings.crf[preset],
    axis: settings,
    goal: scoreTarget?.goal,
    most: mostTries(pixels),
    deadline: job.deadline,
    offer: job.offer,
    encode: (effort, crf, encodes) => encodeVideo(encoding, effort, crf, encodes),
  })
}

const LOWERED = 'At the quality asked for the video is larger than the source: it is made at quality=low.'

/** Searches the goal, and the lowest preset's instead where only that is smaller than the source. */
const searchBelowSource = async (encoding: Encoding): Promise<Made> => {
  const began = performance.now()
  const made = await search(encoding)
  const { job, scoreTarget } = encoding
  if (scoreTarget === undefined) return made
  const { goal, metric } = scoreTarget
  const { bytes: sourceBytes } = job.facts
  if (!mayBeLowered(made, { sourceBytes, goal, ceiling: metric.ceiling })) return made
  if (performance.now() - began > job.deadline.remaining()) return { ...made, cutShort: true }
  // Offers nothing before it is smaller than the source: an offer would replace the result at the requested preset.
  const below = { ...encoding, job: { ...job, offer: () => undefined }, scoreTarget: { metric, goal: LOWEST_GOAL } }
  const lowered = await search(below, 'low')
  if (lowered.bytes >= sourceBytes || lowered.meetsTarget !== true) return made
  return { ...lowered, meetsTarget: false, warnings: [...lowered.warnings, LOWERED] }
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
  return encodeToTarget(request, (scoreTarget) => searchBelowSource({ ...encoding, scoreTarget }))
}
