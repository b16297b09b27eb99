import type { Extent, Raster } from '../../core/image.ts'
import { flatten } from '../../raster/flatten.ts'
import { CLOCK_FPS } from '../video/video-settings.ts'
import type { MotionJob } from './job.ts'
import { renderFrames } from './render.ts'

/** Chroma is stored at half size, so sides must be even: a row or column goes, and of one px a second is made. */
export const evenSide = (length: number): number => Math.max(2, length - (length % 2))

/** A flattened frame brought to even sides. */
export const toEven = (frame: Raster, { width, height }: Extent): Uint8Array => {
  if (frame.width === width && frame.height === height) return frame.data
  const even = new Uint8Array(width * height * 3)
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const from = (Math.min(y, frame.height - 1) * frame.width + Math.min(x, frame.width - 1)) * 3
      even.set(frame.data.subarray(from, from + 3), (y * width + x) * 3)
    }
  }
  return even
}

/** All frames in their final shape, flattened, as RGB without padding. */
export async function* rawFrames(job: MotionJob, size: Extent): AsyncGenerator<Uint8Array> {
  for await (const frame of renderFrames(job.animation, job.transform, job.plan.background)) {
    yield toEven(flatten(frame, job.plan.background), size)
  }
}

/** Arguments for every encoder: BT.709 in video range, which every player reads. */
const COLOUR = ['-colorspace', 'bt709', '-color_primaries', 'bt709', '-color_trc', 'bt709', '-color_range', 'tv']
const EXACT = 'flags=bicubic+accurate_rnd+full_chroma_int'

export type Chroma = 'yuv420p' | 'yuv444p'

/** ffmpeg's filter from RGB to what encoders take, and the one back. */
export const filterInto = (chroma: Chroma): string =>
  `scale=out_color_matrix=bt709:out_range=tv:${EXACT},format=${chroma}`
export const OUT_OF_YUV = `scale=in_color_matrix=bt709:in_range=tv:${EXACT}`

/** ffmpeg's arguments for RGB frames on its standard input. */
export const rawInput = ({ width, height }: Extent): string[] => [
  ...['-f', 'rawvideo', '-pix_fmt', 'rgb24', '-s', `${width}x${height}`],
  ...['-framerate', String(CLOCK_FPS), '-i', 'pipe:0'],
]

/**
 * Reports progress from the count of encoded frames that ffmpeg writes to descriptor 3.
 * The count of frames fed to it says little, since its encoders look ahead.
 */
export const reportFrames = (job: MotionJob, phase: string): ((line: string) => void) => {
  const of = job.animation.frames
  job.advance?.({ phase, done: 0, of })
  return (line) => {
    const [, count] = /^frame=\s*(\d+)/.exec(line) ?? []
    if (count !== undefined) job.advance?.({ phase, done: Math.min(of, Number(count)), of })
  }
}

/** Arguments with which ffmpeg asks nothing and prints errors alone. */
export const QUIET = ['-nostdin', '-hide_banner', '-loglevel', 'error'] as const

/** Arguments with which ffmpeg reads {@link rawFrames} from standard input and writes the lines that {@link reportFrames} reads. */
export const encodingArguments = (
  size: Extent,
  chroma: Chroma,
  encoder: readonly string[],
  output: readonly string[],
): string[] => [
  ...[...QUIET, '-progress', 'pipe:3'],
  ...[...rawInput(size), '-an', '-vf', filterInto(chroma)],
  ...[...encoder, ...COLOUR, '-g', '9999', ...output],
]
