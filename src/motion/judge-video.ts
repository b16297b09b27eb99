import type { Extent, Pixels } from '../core/image.ts'
import { openJudge, type Prepared } from '../judge/judge.ts'
import { flatten } from '../pixels/flatten.ts'
import { pickFrames } from './animation.ts'
import type { MotionJob } from './job.ts'
import { toEven } from './raw-frames.ts'
import { renderFrame } from './render.ts'
import { runProgram } from './run-program.ts'
import { sampleFrames } from './sampling.ts'

/** Scores videos that ffmpeg has just encoded, by a sample of their frames. */
export interface VideoJudge extends Disposable {
  /** Mean SSIMULACRA 2.1 of the sampled frames; undefined where they could not be decoded in time. */
  readonly compare: (matroska: Buffer) => Promise<number | undefined>
}

const SAMPLE = 4
/** Back to RGB by the way that {@link encodingArguments} came. */
const FILTER = 'scale=in_color_matrix=bt709:in_range=tv:flags=bicubic+accurate_rnd+full_chroma_int'

async function* once(bytes: Buffer): AsyncGenerator<Uint8Array> {
  yield bytes
}

const decodingArguments = (numbers: readonly number[]): string[] => {
  const chosen = numbers.map((number) => `eq(n\\,${number})`).join('+')
  return [
    ...['-hide_banner', '-loglevel', 'error', '-f', 'matroska', '-i', 'pipe:0', '-vf', `select=${chosen},${FILTER}`],
    ...['-vsync', '0', '-f', 'rawvideo', '-pix_fmt', 'rgb24', 'pipe:1'],
  ]
}

/** Renders the sample as the encoder sees it. What ffmpeg decodes here is its own work, never a stranger's file. */
export const openVideoJudge = async (job: MotionJob, ffmpeg: string, size: Extent): Promise<VideoJudge> => {
  const { animation, recipe, plan, deadline } = job
  const numbers = sampleFrames(animation.frames, SAMPLE)
  const judge = await openJudge()
  const prepared: Prepared[] = []
  for (const frame of await pickFrames(animation, numbers)) {
    const rendered = flatten(await renderFrame(frame, recipe, plan.background), plan.background)
    prepared.push(judge.prepare({ ...size, channels: 3, data: toEven(rendered, size) }))
  }
  const cut = (raw: Buffer, index: number): Pixels => {
    const bytes = size.width * size.height * 3
    return { ...size, channels: 3, data: raw.subarray(index * bytes, (index + 1) * bytes) }
  }
  return {
    compare: async (matroska) => {
      const program = { command: ffmpeg, args: decodingArguments(numbers), input: once(matroska) }
      const { ok, output } = await runProgram(program, deadline)
      if (!ok || output.length !== numbers.length * size.width * size.height * 3) return undefined
      return prepared.reduce((sum, one, index) => sum + one.compare(cut(output, index)), 0) / prepared.length
    },
    [Symbol.dispose]: () => {
      for (const one of prepared) one.free()
    },
  }
}
