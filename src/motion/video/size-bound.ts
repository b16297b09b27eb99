import type { SourceFacts } from '../../core/image.ts'
import { goalFor, PRESET_SCORES } from '../../plan/targets.ts'
import type { SizeBound } from './search-crf.ts'

/** In smaller sources what a container takes counts more than its pictures. */
const MIN_SOURCE_BYTES = 10_000

/** Video and animated AVIF serve to send fewer bytes than their source. 1 % is left for the mark and the rights. */
export const belowSource = ({ bytes }: Pick<SourceFacts, 'bytes'>): SizeBound | undefined =>
  bytes < MIN_SOURCE_BYTES ? undefined : { maxBytes: 0.99 * bytes, lowestGoal: goalFor(PRESET_SCORES.low) }
