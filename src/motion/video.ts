import { join } from 'node:path'
import { fail } from '../core/failure.ts'
import type { Extent, VideoFormat } from '../core/image.ts'
import type { Made } from '../core/outcome.ts'
import type { Preset } from '../options/options.ts'
import { marginFor } from '../plan/targets.ts'
import { findFfmpeg } from './ffmpeg.ts'
import { describe, type MotionJob } from './job.ts'
import { openVideoJudge, type VideoJudge } from './judge-video.ts'
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
  readonly judge: VideoJudge | undefined
}

const crfFor = ({ job, settings }: Encoding): number => {
  const { target } = job.plan
  const preset: Exclude<Preset, 'lossless'> = target.kind === 'lossless' ? 'high' : target.preset
  return settings.crf[preset]
}

/** Encodes by one effort, all its passes; undefined when time ran out or ffmpeg gave up. */
const encode = async (encoding: Encoding, effort: Effort, crf: number): Promise<Buffer | undefined> => {
  const { job, ffmpeg, settings, size, format } = encoding
  const log = join(job.directory, `${format}-pass`)
  let written: Buffer | undefined
  for (const [number, args] of effort.passes.entries()) {
    const last = number === effort.passes.length - 1
    const encoder = [
      ...settings.args(crf),
      ...args,
      ...(effort.passes.length > 1 ? ['-passlogfile', log] : []),
      ...(format === 'h264' && needsOrder(job.delays) ? ['-bf', '0'] : []),
    ]
    const output = last ? ['-f', 'matroska', 'pipe:1'] : ['-f', 'null', 'pipe:1']
    const command = {
      command: ffmpeg,
      args: encodingArguments(size, 'yuv420p', encoder, output),
      input: rawFrames(job, size, effort.passes.length > 1 ? `encode pass ${number + 1}` : 'encode'),
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

/** A finished video with the setting it was made by. */
interface Take {
  readonly made: Made
  readonly crf: number
  readonly seconds: number
}

const judged = async ({ job, judge }: Encoding, matroska: Buffer): Promise<Pick<Made, 'score' | 'meetsTarget'>> => {
  const { target } = job.plan
  const score = await judge?.compare(matroska)
  return score === undefined || target.kind === 'lossless' ? {} : { score, meetsTarget: score >= goalOf(target.score) }
}

/** One encode, stamped and judged; undefined when time ran out. */
const take = async (encoding: Encoding, effort: Effort, crf: number, encodes: number): Promise<Take | undefined> => {
  const { job, format, size } = encoding
  const began = performance.now()
  const matroska = await encode(encoding, effort, crf)
  if (matroska === undefined) return undefined
  const container = format === 'h264' ? 'mp4' : 'webm'
  const path = join(job.directory, `${effort.name.replace(' ', '-')}-${crf}.${container}`)
  await job.time('mux', () => stampVideo({ matroska, container, delays: job.delays, path }))
  const verdict = await job.time('search', () => judged(encoding, matroska))
  const made = await describe(job, { format, path, encodes, ...size, durationMs: sumOf(job.delays), ...verdict })
  return {
    made: { ...made, warnings: [...made.warnings, ...remarks(job, made)] },
    crf,
    seconds: (performance.now() - began) / 1000,
  }
}

const goalOf = (score: number): number => score + marginFor(score)

const remarks = (job: MotionJob, made: Made): string[] =>
  made.bytes >= job.facts.bytes
    ? [`The video is larger than the source (${made.bytes} instead of ${job.facts.bytes} bytes).`]
    : []

/** With less time than this nothing is judged. */
const LEAST_MS = 500

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

/** Encodes of a search beyond the first; each costs as much. */
const MOST_MORE = 2
/** A score within this of the goal is not worth another encode. */
const SLACK = 1.5

/** The next setting to try between one that reaches the goal and what is known to be too much; undefined when there is none. */
const nextCrf = (goal: number, good: Take, bad: Take | undefined, settings: VideoSettings): number | undefined => {
  const excess = (good.made.score ?? 0) - goal
  if (excess < SLACK) return undefined
  const fall = bad === undefined ? undefined : (good.made.score ?? 0) - (bad.made.score ?? 0)
  const perStep =
    bad === undefined || fall === undefined ? settings.scorePerStep : Math.max(0.3, fall / (bad.crf - good.crf))
  const next = Math.min(good.crf + Math.floor(excess / perStep), bad === undefined ? settings.highest : bad.crf - 1)
  return next > good.crf ? next : undefined
}

/** Raises the setting while the target is still reached: the table's numbers suit the hard clips, and give most more than was asked for. */
const refine = async (encoding: Encoding, effort: Effort, first: Take): Promise<Take> => {
  const { job, settings } = encoding
  if (job.plan.target.kind === 'lossless') return first
  const goal = goalOf(job.plan.target.score)
  let good = first
  let bad: Take | undefined
  for (let more = 1; more <= MOST_MORE; more++) {
    const crf = nextCrf(goal, good, bad, settings)
    if (crf === undefined) break
    if (first.seconds * 2000 > job.deadline.remaining()) return { ...good, made: { ...good.made, cutShort: true } }
    const next = await take(encoding, effort, crf, first.made.encodes + more)
    if (next === undefined) return { ...good, made: { ...good.made, cutShort: true } }
    if (next.made.meetsTarget !== true) bad = next
    else {
      good = next
      job.offer(next.made)
    }
  }
  return good
}

const climb = async (encoding: Encoding): Promise<Made> => {
  const { job } = encoding
  const [quick, best] = chooseEfforts(encoding)
  const first = quick && (await take(encoding, quick, crfFor(encoding), 1))
  if (quick === undefined || first === undefined) throw fail('WORK_TOO_SLOW')
  job.offer(first.made)
  if (best === undefined) return (await refine(encoding, quick, first)).made
  const second = await take(encoding, best, crfFor(encoding), 2)
  if (second === undefined) return { ...first.made, cutShort: true }
  job.offer(second.made)
  return (await refine(encoding, best, second)).made
}

/** The animation as video of the same duration (§4.3). Fails with PROGRAM_MISSING where no ffmpeg is installed, WORK_TOO_SLOW when nothing was ready in time. */
export const makeVideo = async (job: MotionJob, format: VideoFormat): Promise<Made> => {
  const settings = VIDEO_SETTINGS[format]
  const found = await findFfmpeg(({ encoders }) => encoders.has(settings.encoder), job.ffmpegPath)
  if (found === undefined) throw fail('PROGRAM_MISSING', `format=${format}`, `ffmpeg with ${settings.encoder}`)
  const { width, height } = job.recipe.geometry.output
  const size = { width: evenSide(width), height: evenSide(height) }
  const judges = job.plan.target.kind === 'score' && job.deadline.remaining() > LEAST_MS
  using judge = judges ? await openVideoJudge(job, found.path, size) : undefined
  return climb({ job, format, ffmpeg: found.path, settings, size, judge })
}
