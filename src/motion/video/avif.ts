import { readFile, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { fail } from '../../core/failure.ts'
import { MIN_STEP_MS } from '../../core/intervals.ts'
import type { ResultFile } from '../../core/outcome.ts'
import type { Preset } from '../../options/options.ts'
import { clearOfDither } from '../dither/clear-of-dither.ts'
import { describe, type MotionJob, presetOf } from '../frames/job.ts'
import { encodingArguments, rawFrames, reportFrames } from '../frames/raw-frames.ts'
import { type Program, runProgram } from '../run-program.ts'
import { AVIF_ENCODER, writesAvif } from './animated-avif.ts'
import { chooseEffort, type EffortChoice, type Efforts, type EncoderEffort } from './efforts.ts'
import { findFfmpeg } from './ffmpeg.ts'
import { encodeToTarget, type ScoreTarget, scoreEncode } from './scoring.ts'
import { type CrfAxis, encodeSafeguard, searchCrf, type VideoTrial } from './search-crf.ts'
import { belowSource } from './size-bound.ts'
import { stampVideo } from './stamp-video.ts'

const CRF: Readonly<Record<Exclude<Preset, 'lossless'>, number>> = { low: 54, medium: 46, high: 28 }
const AXIS: CrfAxis = { lowest: 8, highest: 62, step: 1, scorePerCrf: 1 }

/** Seconds a megapixel were seen on two busy cores: realtime 0.2, cpu-used 6 0.5 to 3, cpu-used 4 1 to 10, for 0 to 40 % fewer bytes. */
const EFFORTS: Efforts = [
  {
    name: 'realtime',
    secondsPerMegapixel: 0.3,
    mostPixels: Number.POSITIVE_INFINITY,
    passes: [['-usage', 'realtime', '-cpu-used', '8']],
  },
  { name: 'six', secondsPerMegapixel: 1, mostPixels: 25e6, passes: [['-cpu-used', '6']] },
  { name: 'four', secondsPerMegapixel: 4, mostPixels: 3e6, passes: [['-cpu-used', '4']] },
]
/** Most encodes of a search. */
const mostTries = (pixels: number): number => (pixels < 1e6 ? 5 : pixels < 5e6 ? 4 : 3)
const LOSES_ALPHA = 'Animated AVIF is made without transparency here: it is flattened onto bgcolor.'

/** Runs ffmpeg. Returns false when time ran out; throws when ffmpeg failed. */
const run = async (job: MotionJob, program: Program): Promise<boolean> => {
  const ended = await runProgram(program, job.deadline)
  if (ended.kind === 'failed') throw new Error(`ffmpeg failed: ${ended.errors}`)
  return ended.kind === 'done'
}

const warningsOf = ({ facts, animation, warnings }: MotionJob): string[] => [
  ...warnings,
  ...(facts.alpha ? [LOSES_ALPHA] : []),
  ...(animation.loop === 0 ? [] : [`Animated AVIF plays for ever here, the source ${animation.loop} times.`]),
]

interface Encoding {
  readonly job: MotionJob
  readonly ffmpeg: string
  /** Absent where nothing is scored. */
  readonly scoreTarget?: ScoreTarget | undefined
}

/** AV1 at full chroma by the encoders' clock, as Matroska; undefined when time ran out. */
const encode = async ({ job, ffmpeg }: Encoding, effort: EncoderEffort, crf: number): Promise<Buffer | undefined> => {
  const size = job.transform.geometry.output
  // Not through a pipe: what heads an AV1 stream in Matroska is known only at its end.
  const path = join(job.directory, `av1-${effort.name}-${crf}.mkv`)
  const encoder = ['-c:v', AVIF_ENCODER, '-b:v', '0', '-crf', String(crf), '-row-mt', '1', ...effort.passes.flat()]
  const args = encodingArguments(size, 'yuv444p', encoder, ['-f', 'matroska', path])
  const program = { command: ffmpeg, args, input: rawFrames(job, size), onLine: reportFrames(job, 'encode') }
  return (await job.time('encode', () => run(job, program))) ? readFile(path) : undefined
}

/** Stamps packets with the true times as MP4, from which ffmpeg copies them into AVIF, times and all. False when time ran out. */
const mux = async ({ job, ffmpeg }: Encoding, matroska: Buffer, path: string): Promise<boolean> => {
  const stamped = `${path}.mp4`
  await stampVideo({ matroska, container: 'mp4', delays: job.delays, path: stamped })
  const copy = ['-nostdin', '-loglevel', 'error', '-y', '-i', stamped, '-c', 'copy', '-f', 'avif', `${path}.part`]
  if (!(await run(job, { command: ffmpeg, args: copy }))) return false
  await rename(`${path}.part`, path)
  return true
}

const takeAvif = async (
  encoding: Encoding,
  effort: EncoderEffort,
  crf: number,
  encodes: number,
): Promise<VideoTrial | undefined> => {
  const { job, scoreTarget } = encoding
  const began = performance.now()
  const matroska = await encode(encoding, effort, crf)
  if (matroska === undefined) return undefined
  const path = join(job.directory, `${effort.name}-${crf}.avif`)
  if (!(await job.time('mux', () => mux(encoding, matroska, path)))) return undefined
  const { effectiveScore, known } = await scoreEncode(job, scoreTarget, matroska)
  const file = await describe(job, { format: 'avif', path, encodes, warnings: warningsOf(job), loopCount: 0, ...known })
  return { file, crf, effectiveScore, seconds: (performance.now() - began) / 1000 }
}

const pixelsOf = ({ transform, animation }: MotionJob): number =>
  transform.geometry.output.width * transform.geometry.output.height * animation.frames

const choiceFor = (job: MotionJob): EffortChoice => chooseEffort(EFFORTS, pixelsOf(job), job.deadline)

const search = (encoding: Encoding, safeguard: ResultFile | undefined): Promise<ResultFile> => {
  const { job, scoreTarget } = encoding
  return searchCrf({
    choose: () => choiceFor(job),
    safeguard,
    crf: CRF[presetOf(job)],
    axis: AXIS,
    goal: scoreTarget?.goal,
    sizeBound: belowSource(job.facts),
    most: mostTries(pixelsOf(job)),
    deadline: job.deadline,
    offer: job.offer,
    encode: (effort, crf, encodes) => takeAvif(encoding, effort, crf, encodes),
  })
}

/** The animation as AVIF. Fails with PROGRAM_MISSING without a suitable ffmpeg, or WORK_TOO_SLOW. */
export const makeAvif = async (asked: MotionJob): Promise<ResultFile> => {
  const found = await findFfmpeg(writesAvif, asked.ffmpegPath)
  if (found === undefined) throw fail('PROGRAM_MISSING', 'Animated AVIF', `ffmpeg 5.1 with ${AVIF_ENCODER}`)
  const safeguard = await encodeSafeguard(choiceFor(asked), asked, () =>
    takeAvif({ job: asked, ffmpeg: found.path }, EFFORTS[0], CRF[presetOf(asked)], 1),
  )
  const { job, timeLimited } = await clearOfDither(asked, found.path)
  const size = job.transform.geometry.output
  const request = { job, ffmpeg: found.path, size, chroma: 'yuv444p', leastMs: MIN_STEP_MS } as const
  const file = await encodeToTarget(request, (scoreTarget) =>
    search({ job, ffmpeg: found.path, scoreTarget }, safeguard),
  )
  return timeLimited ? { ...file, cutShort: true } : file
}
