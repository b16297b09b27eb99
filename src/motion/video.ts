import { fail } from '../core/failure.ts'
import type { VideoFormat } from '../core/image.ts'
import type { Made } from '../core/outcome.ts'
import type { Preset } from '../options/options.ts'
import { marginFor } from '../plan/targets.ts'
import { bracket, nextCrf } from './crf-search.ts'
import { findFfmpeg } from './ffmpeg.ts'
import type { MotionJob } from './job.ts'
import { openVideoJudge } from './judge-video.ts'
import { evenSide } from './raw-frames.ts'
import { type Encoding, type Take, takeVideo } from './take-video.ts'
import { type Effort, VIDEO_SETTINGS } from './video-settings.ts'

/** With less time than this nothing is judged. */
const LEAST_MS = 500

const crfFor = ({ job, settings }: Encoding): number => {
  const { target } = job.plan
  const preset: Exclude<Preset, 'lossless'> = target.kind === 'lossless' ? 'high' : target.preset
  return settings.crf[preset]
}

const pixelsOf = ({ job, size }: Encoding): number => size.width * size.height * job.animation.frames

/** Efforts that are worth trying: the quickest only as a safeguard, where the better one may not end in time. */
const chooseEfforts = (encoding: Encoding): readonly [Effort, Effort?] => {
  const pixels = pixelsOf(encoding)
  const seconds = encoding.job.deadline.remaining() / 1000
  const cost = (effort: Effort): number => 0.3 + (pixels / 1e6) * effort.secondsPerMegapixel
  const [quickest, ...others] = encoding.settings.efforts
  const best = others.findLast((effort) => pixels <= effort.mostPixels && cost(effort) < seconds)
  if (best === undefined) return [quickest]
  // Half of the time left: then even a busy machine gets there.
  return cost(best) * 2 < seconds ? [best] : [quickest, best]
}

/** Most encodes that a search may take: many of small videos, few of large ones. By size and not by time, so that the same comes out each time. */
const mostTries = (encoding: Encoding): number => {
  const pixels = pixelsOf(encoding)
  return pixels < 5e6 ? 6 : pixels < 20e6 ? 4 : 3
}

/** The take to give out: the fewest bytes that reach the goal, else what comes nearest to it. */
const bestOf = (takes: readonly Take[], goal: number): Take =>
  bracket(takes, goal).good ?? takes.reduce((best, next) => (next.worth > best.worth ? next : best))

/** Searches the highest setting that reaches the goal, from a first take on. */
const refine = async (encoding: Encoding, effort: Effort, first: Take): Promise<Made> => {
  const { job, settings, goal } = encoding
  if (goal === undefined || Number.isNaN(first.worth)) return first.made
  const takes = [first]
  let encodes = first.made.encodes
  let cutShort = false
  while (takes.length < mostTries(encoding)) {
    const crf = nextCrf(takes, goal, settings)
    if (crf === undefined) break
    cutShort = first.seconds * 2000 > job.deadline.remaining()
    if (cutShort) break
    encodes += 1
    const next = await takeVideo(encoding, effort, crf, encodes)
    cutShort = next === undefined || Number.isNaN(next.worth)
    if (next === undefined || cutShort) break
    takes.push(next)
    job.offer(next.made)
  }
  return { ...bestOf(takes, goal).made, encodes, ...(cutShort ? { cutShort } : {}) }
}

const climb = async (encoding: Encoding): Promise<Made> => {
  const { job } = encoding
  const [quick, best] = chooseEfforts(encoding)
  const first = await takeVideo(encoding, quick, crfFor(encoding), 1)
  if (first === undefined) throw fail('WORK_TOO_SLOW')
  job.offer(first.made)
  if (best === undefined) return refine(encoding, quick, first)
  const second = await takeVideo(encoding, best, crfFor(encoding), 2)
  if (second === undefined) return { ...first.made, cutShort: true }
  job.offer(second.made)
  return refine(encoding, best, second)
}

/** The animation as video of the same duration (§4.3). Fails with PROGRAM_MISSING where no ffmpeg is installed, WORK_TOO_SLOW when nothing was ready in time. */
export const makeVideo = async (job: MotionJob, format: VideoFormat): Promise<Made> => {
  const settings = VIDEO_SETTINGS[format]
  const found = await findFfmpeg(({ encoders }) => encoders.has(settings.encoder), job.ffmpegPath)
  if (found === undefined) throw fail('PROGRAM_MISSING', `format=${format}`, `ffmpeg with ${settings.encoder}`)
  const { width, height } = job.recipe.geometry.output
  const size = { width: evenSide(width), height: evenSide(height) }
  const encoding: Encoding = { job, format, ffmpeg: found.path, settings, size }
  const { target } = job.plan
  if (target.kind === 'lossless' || job.deadline.remaining() < LEAST_MS) return climb(encoding)
  const goal = target.score + marginFor(target.score)
  using judge = await openVideoJudge({ job, ffmpeg: found.path, size, goal })
  return await climb({ ...encoding, judge, goal })
}
