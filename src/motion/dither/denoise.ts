import { open, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Raster } from '../../core/image.ts'
import { flatten } from '../../raster/flatten.ts'
import { framesOf } from '../frames/animation.ts'
import type { Animation } from '../frames/frames.ts'
import type { MotionJob } from '../frames/job.ts'
import { QUIET, rawInput } from '../frames/raw-frames.ts'
import { runProgram } from '../run-program.ts'
import { BUSY } from '../video/efforts.ts'

const DENOISE = {
  /**
   * A Wiener filter over blocks of three frames, in 4:4:4. `sigma` is in sample values.
   * Measured on seven clips with known originals (lab/motion.md): 6 leaves grain, 15 and more take texture.
   */
  filter: 'fftdnoiz=sigma=10:prev=1:next=1:overlap=0.3',
  /** px of all frames up to which it runs. Chosen: about ten seconds. */
  mostPixels: 25e6,
  /** CPU seconds a megapixel, with the dither taken out. Measured on a 4-megapixel clip. */
  secondsPerMegapixel: 0.4,
} as const

const RGB_OF_YUV444 = 'flags=bicubic+accurate_rnd+full_chroma_int'
const FILTERS = `scale=out_color_matrix=bt709:${RGB_OF_YUV444},format=yuv444p,${DENOISE.filter},scale=in_color_matrix=bt709:${RGB_OF_YUV444}`

/** Whether an animation is small enough for the filter, and whether a busy machine ends it in the time left. */
export const canDenoise = ({
  animation,
  deadline,
}: MotionJob): { readonly isSmall: boolean; readonly inTime: boolean } => {
  const pixels = animation.extent.width * animation.extent.height * animation.frames
  const seconds = (pixels / 1e6) * DENOISE.secondsPerMegapixel
  return { isSmall: pixels <= DENOISE.mostPixels, inTime: seconds * BUSY * 1000 < deadline.remaining() }
}

async function* flattened(
  animation: Animation,
  background: MotionJob['plan']['background'],
): AsyncGenerator<Uint8Array> {
  for await (const frame of framesOf(animation)) yield flatten(frame, background).data
}

/** Frames of a file that holds them as RGB, one after the other; undefined where the file does not hold each of them. */
const openRaw = async (path: string, animation: Animation): Promise<Animation | undefined> => {
  const { width, height } = animation.extent
  const size = width * height * 3
  if ((await stat(path)).size !== animation.frames * size) return undefined
  return {
    ...animation,
    read: async (from, count) => {
      await using file = await open(path)
      const frames: Raster[] = []
      for (let number = from; number < Math.min(from + count, animation.frames); number++) {
        const data = new Uint8Array(size)
        await file.read(data, 0, size, number * size)
        frames.push({ width, height, channels: 3, data })
      }
      return frames
    },
  }
}

/**
 * The animation on its background with the grain of its frames averaged out in space and time, by ffmpeg's `fftdnoiz`.
 * The frames are kept in a file of the job's directory. Undefined where ffmpeg lacks the filter or loses frames, or time ran out.
 */
export const denoise = async (job: MotionJob, animation: Animation, ffmpeg: string): Promise<Animation | undefined> => {
  const path = join(job.directory, 'denoised.rgb')
  const output = ['-vsync', '0', '-f', 'rawvideo', '-pix_fmt', 'rgb24', path]
  const { kind } = await runProgram(
    {
      command: ffmpeg,
      args: [...QUIET, '-y', ...rawInput(animation.extent), '-vf', FILTERS, ...output],
      input: flattened(animation, job.plan.background),
    },
    job.deadline,
  )
  return kind === 'done' ? openRaw(path, animation) : undefined
}
