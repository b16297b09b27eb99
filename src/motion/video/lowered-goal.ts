import type { Made } from '../../core/outcome.ts'
import { goalFor, PRESET_SCORES } from '../../plan/targets.ts'

/** In smaller sources what a container takes counts more than its pictures. */
const LEAST_BYTES = 10_000

/** The score that the lowest preset asks for. */
export const LOWEST_GOAL = goalFor(PRESET_SCORES.low)

/** Whether a video that is not smaller than its source may be made at the lowest preset instead: nobody asks for a video in order to send more. */
export const mayBeLowered = (
  made: Pick<Made, 'bytes' | 'cutShort'>,
  source: { readonly facts: { readonly bytes: number } },
  goal: number,
): boolean =>
  made.bytes >= source.facts.bytes && source.facts.bytes >= LEAST_BYTES && goal > LOWEST_GOAL && made.cutShort !== true
