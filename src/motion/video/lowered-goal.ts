import type { Made } from '../../core/outcome.ts'
import { goalFor, PRESET_SCORES } from '../../plan/targets.ts'

/** In smaller sources what a container takes counts more than its pictures. */
const MIN_SOURCE_BYTES = 10_000

/** The score that the lowest preset asks for. */
export const LOWEST_GOAL = goalFor(PRESET_SCORES.low)

/** Goal of a video: the bytes of its source, the score to reach, and the format's best score if that is lower. */
interface Held {
  readonly sourceBytes: number
  readonly goal: number
  readonly ceiling?: number | undefined
}

/** Whether a video that is not smaller than its source may be encoded at the lowest preset: a video serves to send fewer bytes. */
export const mayBeLowered = (
  { bytes, cutShort }: Pick<Made, 'bytes' | 'cutShort'>,
  { sourceBytes, goal, ceiling = 100 }: Held,
): boolean =>
  bytes >= sourceBytes &&
  sourceBytes >= MIN_SOURCE_BYTES &&
  goal > LOWEST_GOAL &&
  ceiling >= LOWEST_GOAL &&
  cutShort !== true
