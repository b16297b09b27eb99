import { fail } from '../../core/failure.ts'
import { counted } from './counted.ts'
import type { MotionJob } from './job.ts'
import { renderFrames } from './render.ts'

/** px of all frames together: libvips' encoders of animations want them in memory at once, 4 bytes each. */
const MOST_PIXELS = 250e6

/** All frames in their final shape, one below the other. Fails with SOURCE_TOO_MANY_FRAMES beyond what memory allows. */
export const gatherFrames = async (job: MotionJob): Promise<Buffer> => {
  const { output } = job.transform.geometry
  const { frames } = job.animation
  const size = output.width * output.height * 4
  if (size * frames > MOST_PIXELS * 4) throw fail('SOURCE_TOO_MANY_FRAMES', frames, MOST_PIXELS)
  const all = Buffer.allocUnsafe(size * frames)
  let at = 0
  const rendered = renderFrames(job.animation, job.transform, job.plan.background)
  const tell = (done: number): void => job.advance?.({ phase: 'decode', done, of: frames })
  for await (const frame of counted(rendered, tell)) {
    all.set(frame.data, at)
    at += size
  }
  return all.subarray(0, at)
}
