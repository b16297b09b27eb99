import { fail } from '../../core/failure.ts'
import { framesOf } from './animation.ts'
import { counted } from './counted.ts'
import type { Animation } from './frames.ts'
import type { MotionJob } from './job.ts'
import { renderFrames } from './render.ts'

/** px of all frames together: libvips' encoders of animations want them in memory at once, 4 bytes each. */
const MAX_PIXELS = 250e6

/** All frames in their final shape, one below the other. Fails with SOURCE_TOO_MANY_FRAMES beyond what memory allows. */
export const gatherFrames = async (job: MotionJob): Promise<Buffer> => {
  const { output } = job.transform.geometry
  const { frames } = job.animation
  const size = output.width * output.height * 4
  if (size * frames > MAX_PIXELS * 4) throw fail('SOURCE_TOO_MANY_FRAMES', frames, MAX_PIXELS)
  const all = Buffer.allocUnsafe(size * frames)
  let at = 0
  const rendered = renderFrames(job.animation, job.transform, job.plan.background)
  const report = (done: number): void => job.advance?.({ phase: 'decode', done, of: frames })
  for await (const frame of counted(rendered, report)) {
    all.set(frame.data, at)
    at += size
  }
  return all.subarray(0, at)
}

/** All frames as an animation stores them, one below the other: of one whose pixels are few enough to be held at once. */
export const gatherStored = async (animation: Animation): Promise<Buffer> => {
  const frames: Uint8Array[] = []
  for await (const { data } of framesOf(animation)) frames.push(data)
  return Buffer.concat(frames)
}
