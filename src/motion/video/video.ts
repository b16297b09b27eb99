import { fail } from '../../core/failure.ts'
import type { VideoFormat } from '../../core/image.ts'
import { MIN_STEP_MS } from '../../core/intervals.ts'
import type { ResultFile } from '../../core/outcome.ts'
import { clearOfDither } from '../dither/clear-of-dither.ts'
import { type MotionJob, presetOf } from '../frames/job.ts'
import { evenSide } from '../frames/raw-frames.ts'
import { chooseEffort, type EffortChoice } from './efforts.ts'
import { type Encoding, encodeVideo } from './encode-video.ts'
import { findFfmpeg } from './ffmpeg.ts'
import { encodeToTarget } from './scoring.ts'
import { encodeSafeguard, searchCrf } from './search-crf.ts'
import { belowSource } from './size-bound.ts'
import { VIDEO_SETTINGS } from './video-settings.ts'

/** Most encodes that a search may take: many of small videos, few of large ones. By size and not by time, so that the same comes out each time. */
const mostTries = (pixels: number): number => (pixels < 5e6 ? 6 : pixels < 20e6 ? 4 : 3)

const choiceFor = ({ job, settings, size }: Encoding): EffortChoice =>
  chooseEffort(settings.efforts, size.width * size.height * job.animation.frames, job.deadline)

const search = (encoding: Encoding, safeguard: ResultFile | undefined): Promise<ResultFile> => {
  const { job, settings, size, scoreTarget } = encoding
  return searchCrf({
    choose: () => choiceFor(encoding),
    safeguard,
    quick: choiceFor(encoding).isRisky ? settings.efforts[0] : undefined,
    crf: settings.crf[presetOf(job)],
    axis: settings,
    goal: scoreTarget?.goal,
    sizeBound: belowSource(job.facts),
    most: mostTries(size.width * size.height * job.animation.frames),
    deadline: job.deadline,
    offer: job.offer,
    encode: (effort, crf, encodes) => encodeVideo(encoding, effort, crf, encodes),
  })
}

/** The animation as video of the same duration (§4.3). Fails with PROGRAM_MISSING where no ffmpeg is installed, WORK_TOO_SLOW when nothing was ready in time. */
export const makeVideo = async (asked: MotionJob, format: VideoFormat): Promise<ResultFile> => {
  const settings = VIDEO_SETTINGS[format]
  const found = await findFfmpeg(({ encoders }) => encoders.has(settings.encoder), asked.ffmpegPath)
  if (found === undefined) throw fail('PROGRAM_MISSING', `format=${format}`, `ffmpeg with ${settings.encoder}`)
  const { width, height } = asked.transform.geometry.output
  const size = { width: evenSide(width), height: evenSide(height) }
  const plain: Encoding = { job: asked, format, ffmpeg: found, settings, size }
  const safeguard = await encodeSafeguard(choiceFor(plain), asked, () =>
    encodeVideo(plain, settings.efforts[0], settings.crf[presetOf(asked)], 1),
  )
  const { job, timeLimited } = await clearOfDither(asked, found.path)
  const request = { job, ffmpeg: found.path, size, chroma: 'yuv420p', leastMs: MIN_STEP_MS } as const
  const file = await encodeToTarget(request, (scoreTarget) => search({ ...plain, job, scoreTarget }, safeguard))
  return timeLimited ? { ...file, cutShort: true } : file
}
