import type { Extent, Pixels } from '../core/image.ts'
import { flatten } from '../pixels/flatten.ts'
import { counted } from './counted.ts'
import type { MotionJob } from './job.ts'
import { renderFrames } from './render.ts'
import { CLOCK_FPS } from './video-settings.ts'

/** Chroma is stored at half size, so sides must be even: a row or column goes, and of one px a second is made. */
export const evenSide = (length: number): number => Math.max(2, length - (length % 2))

/** A flattened frame brought to even sides. */
export const toEven = (frame: Pixels, { width, height }: Extent): Uint8Array => {
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

/** All frames in their final shape, flattened, as RGB without padding; `phase` names what they are read for. */
export async function* rawFrames(job: MotionJob, size: Extent, phase = 'encode'): AsyncGenerator<Uint8Array> {
  const rendered = renderFrames(job.animation, job.recipe, job.plan.background)
  const tell = (done: number): void => job.advance?.({ phase, done, of: job.animation.frames })
  for await (const frame of counted(rendered, tell)) {
    yield toEven(flatten(frame, job.plan.background), size)
  }
}

/** Full-range sRGB to BT.709 as every player reads it, and one key frame: what is asked of any encoder. */
const COLOUR = ['-colorspace', 'bt709', '-color_primaries', 'bt709', '-color_trc', 'bt709', '-color_range', 'tv']
const FILTER = 'scale=out_color_matrix=bt709:out_range=tv:flags=bicubic+accurate_rnd+full_chroma_int,format='

export type Chroma = 'yuv420p' | 'yuv444p'

/** Arguments with which ffmpeg takes {@link rawFrames} from its standard input. */
export const encodingArguments = (
  size: Extent,
  chroma: Chroma,
  encoder: readonly string[],
  output: readonly string[],
): string[] => [
  ...['-nostdin', '-hide_banner', '-loglevel', 'error'],
  ...['-f', 'rawvideo', '-pix_fmt', 'rgb24', '-s', `${size.width}x${size.height}`],
  ...['-framerate', String(CLOCK_FPS), '-i', 'pipe:0', '-an', '-vf', FILTER + chroma],
  ...[...encoder, ...COLOUR, '-g', '9999', ...output],
]
