import type { Extent, Raster } from '../../core/image.ts'
import { processMetrics } from '../../metric/metrics.ts'
import { openSsimulacra2, type Ssimulacra2, type Ssimulacra2Reference } from '../../metric/ssimulacra2/ssimulacra2.ts'
import { densityOf } from '../../plan/plan.ts'
import { flatten } from '../../raster/flatten.ts'
import { pickFrames } from '../frames/animation.ts'
import type { Animation } from '../frames/frames.ts'
import type { MotionJob } from '../frames/job.ts'
import { type Chroma, filterInto, OUT_OF_YUV, QUIET, rawInput, toEven } from '../frames/raw-frames.ts'
import { renderFrame } from '../frames/render.ts'
import { sampleFrames } from '../frames/sampling.ts'
import { runProgram } from '../run-program.ts'

/** The scores of a video. */
export interface VideoScores {
  /** Mean SSIMULACRA 2.1 of the sampled frames, against the source's own. */
  readonly score: number
  /** Compared with the goal: the score against the job's frames, or if the format can never reach the goal, against its best. */
  readonly effectiveScore: number
  /** The largest colour shift (CIEDE2000) of a tile of 16 x 16 px as seen in any sampled frame. */
  readonly tileColour: number
}

/** Scores videos that ffmpeg has just encoded, by a sample of their frames. */
export interface VideoMetric extends Disposable {
  /** The score of the frames in the encoder's pixel format and with no other loss, where that is not clearly above the goal. */
  readonly ceiling?: number
  /** Undefined where the frames could not be decoded in time. */
  readonly compare: (matroska: Buffer) => Promise<VideoScores | undefined>
}

/** Bounds of the frames that are scored. */
const SAMPLE = {
  /** Frames. Held to 4, videos had 1.8 points less to 3 more than the goal in all frames (17 clips, lab/motion.md). */
  frames: 24,
  /** Pixels of all of them together. */
  pixels: 8e6,
} as const
/** Points above the goal that the ceiling must be for the goal to be effectiveScore its bytes. */
const REACH = 3

/** Back to RGB by the way that frames went into the encoder. */
const RGB_OUT = ['-f', 'rawvideo', '-pix_fmt', 'rgb24', 'pipe:1']

async function* once(...bytes: Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* bytes
}

const decodingArguments = (numbers: readonly number[]): string[] => {
  const chosen = numbers.map((number) => `eq(n\\,${number})`).join('+')
  return [
    ...[...QUIET, '-f', 'matroska', '-i', 'pipe:0', '-vf', `select=${chosen},${OUT_OF_YUV}`],
    ...['-vsync', '0', ...RGB_OUT],
  ]
}

const cutInto = (raw: Buffer, size: Extent): Raster[] => {
  const bytes = size.width * size.height * 3
  return Array.from({ length: raw.length / bytes }, (_, i) => ({
    ...size,
    channels: 3,
    data: raw.subarray(i * bytes, (i + 1) * bytes),
  }))
}

const meanOf = (metric: Ssimulacra2, references: readonly Raster[], frames: readonly Raster[]): number =>
  references.reduce((sum, reference, i) => {
    using prepared = metric.prepare(reference)
    return sum + prepared.compare(frames[i]!)
  }, 0) / references.length

/** Frames as encoders get them. */
const renderSample = async (
  { transform, plan }: MotionJob,
  animation: Animation,
  numbers: readonly number[],
  size: Extent,
): Promise<Raster[]> => {
  const sample: Raster[] = []
  for (const frame of await pickFrames(animation, numbers)) {
    const rendered = flatten(await renderFrame(frame, transform, plan.background), plan.background)
    sample.push({ ...size, channels: 3, data: toEven(rendered, size) })
  }
  return sample
}

export interface VideoMetricRequest {
  readonly job: MotionJob
  readonly ffmpeg: string
  readonly size: Extent
  /** The score that is wanted. */
  readonly goal: number
  /** Chroma format of the encoder's input. */
  readonly chroma: Chroma
}

/**
 * Renders the sample as the encoder sees it, and finds out what the pixel format can show of it: drawings of one-pixel
 * coloured lines score 39 at best, whatever the bytes. What ffmpeg decodes here is its own work, never a stranger's file.
 */
export const openVideoMetric = async ({
  job,
  ffmpeg,
  size,
  goal,
  chroma,
}: VideoMetricRequest): Promise<VideoMetric> => {
  const { animation, original, deadline } = job
  const fitting = Math.floor(SAMPLE.pixels / (size.width * size.height))
  const numbers = sampleFrames(animation.frames, Math.max(2, Math.min(SAMPLE.frames, fitting)))
  const metric = await openSsimulacra2()
  const sources = await renderSample(job, animation, numbers, size)
  const seen = original === undefined ? sources : await renderSample(job, original, numbers, size)
  const read = async (args: readonly string[], input: AsyncIterable<Uint8Array>): Promise<Raster[] | undefined> => {
    const ended = await runProgram({ command: ffmpeg, args, input }, deadline)
    if (ended.kind !== 'done' || ended.output.length !== numbers.length * size.width * size.height * 3) return undefined
    return cutInto(ended.output, size)
  }
  const halved = await read(
    [...QUIET, ...rawInput(size), '-vf', `${filterInto(chroma)},${OUT_OF_YUV}`, ...RGB_OUT],
    once(...sources.map(({ data }) => data)),
  )
  const ceiling = halved === undefined ? Number.POSITIVE_INFINITY : meanOf(metric, sources, halved)
  const outOfReach = ceiling < goal + REACH
  const prepared: Ssimulacra2Reference[] = (outOfReach && halved ? halved : sources).map((frame) =>
    metric.prepare(frame),
  )
  const metrics = await processMetrics()
  const tileColourOf = (frames: readonly Raster[]): number =>
    Math.max(
      ...seen.map((frame, i) => {
        using reference = metrics.prepare(frame, densityOf(job.plan))
        return reference.measure(frames[i]!).tileColour
      }),
    )
  return {
    ...(outOfReach ? { ceiling } : {}),
    compare: async (matroska) => {
      const frames = await read(decodingArguments(numbers), once(matroska))
      if (frames === undefined) return undefined
      const effectiveScore =
        prepared.reduce((sum, one, index) => {
          job.advance?.({ phase: 'score', done: index + 1, of: prepared.length })
          return sum + one.compare(frames[index]!)
        }, 0) / prepared.length
      const score = outOfReach || seen !== sources ? meanOf(metric, seen, frames) : effectiveScore
      return { effectiveScore, score, tileColour: tileColourOf(frames) }
    },
    [Symbol.dispose]: () => {
      for (const one of prepared) one.free()
    },
  }
}
