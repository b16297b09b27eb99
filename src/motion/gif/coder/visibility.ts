import type { Extent } from '../../../core/image.ts'
import { COORDINATES, type CodableAnimation } from './frame.ts'

/** An error that just counts: `flat` where nothing else is visible, plus `busy` times the root of the activity. Chosen, not measured. */
const JUST_SEEN = { flat: 2, busy: 1 } as const
/** px around one that hide what is done to it. */
const AROUND = 2

/** By pixel how much luma changes from it to the next and to the one below. */
const activityOf = (lumas: Float32Array, { width, height }: Extent): Float32Array => {
  const activity = new Float32Array(width * height)
  for (let y = 0, at = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1, at += 1) {
      const luma = lumas[at]!
      const next = x + 1 < width ? at + 1 : Math.max(at - 1, y * width)
      const below = y + 1 < height ? at + width : Math.max(at - width, x)
      activity[at] = Math.abs(luma - lumas[next]!) + Math.abs(luma - lumas[below]!)
    }
  }
  return activity
}

/** A line of values, each the mean of those at most AROUND from it; `step` is how far apart they lie. */
const meanAlong = (values: Float32Array, means: Float32Array, begin: number, step: number, count: number): void => {
  let sum = 0
  let held = 0
  for (let i = -AROUND; i < count; i += 1) {
    if (i + AROUND < count) {
      sum += values[begin + (i + AROUND) * step]!
      held += 1
    }
    if (i - AROUND > 0) {
      sum -= values[begin + (i - AROUND - 1) * step]!
      held -= 1
    }
    if (i >= 0) means[begin + i * step] = Math.max(0, sum / held)
  }
}

const meanAround = (values: Float32Array, { width, height }: Extent): Float32Array => {
  const across = new Float32Array(values.length)
  const means = new Float32Array(values.length)
  for (let y = 0; y < height; y += 1) meanAlong(values, across, y * width, 1, width)
  for (let x = 0; x < width; x += 1) meanAlong(across, means, x, width, height)
  return means
}

/**
 * By pixel how much its squared error counts: little in texture, much where it is plain. A place is as busy as the plainest of those
 * around it, so that the rims of plain areas count as these do. `lumas` are those of the coder's space.
 */
export const errorWeights = (lumas: Float32Array, extent: Extent): Float32Array => {
  const { width, height } = extent
  const means = meanAround(activityOf(lumas, extent), extent)
  const weights = new Float32Array(width * height)
  for (let y = 0, at = 0; y < height; y += 1) {
    const up = Math.max(0, y - AROUND) * width
    const down = Math.min(height - 1, y + AROUND) * width
    for (let x = 0; x < width; x += 1, at += 1) {
      const left = means[y * width + Math.max(0, x - AROUND)]!
      const right = means[y * width + Math.min(width - 1, x + AROUND)]!
      const busy = Math.min(means[at]!, left, right, means[up + x]!, means[down + x]!)
      weights[at] = 1 / (JUST_SEEN.flat + JUST_SEEN.busy * Math.sqrt(busy)) ** 2
    }
  }
  return weights
}

/**
 * By frame and pixel how much a squared error counts. What is drawn stays while the next frames keep its colour, so an error counts by the
 * root of the frames in a row that show it. `points` are those of the animation's colours. Undefined where time is up before the end.
 */
export const weighFrames = (
  animation: CodableAnimation,
  points: Float32Array,
  isTimeUp: () => boolean,
): readonly Float32Array[] | undefined => {
  const { width, height, frames, entries } = animation
  const size = width * height
  const entryOf = (frame: number, at: number): number => entries[frame * size + at]!
  const framesKept = new Float32Array(size)
  const lumas = new Float32Array(size)
  const weighed: Float32Array[] = []
  for (let frame = frames - 1; frame >= 0; frame -= 1) {
    if (isTimeUp()) return undefined
    for (let at = 0; at < size; at += 1) lumas[at] = points[entryOf(frame, at) * COORDINATES]!
    const weights = errorWeights(lumas, animation)
    for (let at = 0; at < size; at += 1) {
      const isKept = frame + 1 < frames && entryOf(frame, at) === entryOf(frame + 1, at)
      framesKept[at] = isKept ? framesKept[at]! + 1 : 1
      weights[at] = weights[at]! * Math.sqrt(framesKept[at]!)
    }
    weighed[frame] = weights
  }
  return weighed
}
