import type { SourceFacts } from '../core/image.ts'
import type { Made } from '../core/outcome.ts'
import type { Plan } from './plan.ts'
import type { BoundName } from './promise.ts'

/** What of a finished encode decides whether it is the result. */
export type FinishedFile = Pick<Made, 'format' | 'bytes' | 'score' | 'meetsTarget' | 'untouched'>

/** Whether `a` beats `b`: one that meets the target beats one that does not, then fewer bytes; among those that miss it, the higher score. */
export const isBetter = (a: FinishedFile, b: FinishedFile): boolean => {
  if (meets(a) !== meets(b)) return meets(a)
  if (meets(a)) return a.bytes < b.bytes
  const byScore = (a.score ?? -Infinity) - (b.score ?? -Infinity)
  return Number.isNaN(byScore) || byScore === 0 ? a.bytes < b.bytes : byScore > 0
}

/** The better of the best so far and a new candidate (the source's own bytes among them, §3.4); the earlier one when neither is better. */
export const betterOf = <C extends FinishedFile>(best: C | undefined, next: C): C =>
  best === undefined || isBetter(next, best) ? next : best

/** The warning on a result that grew because its source's format may not be returned (§3.4), or nothing. */
export const growthWarning = (plan: Plan, source: SourceFacts, made: FinishedFile): string | undefined =>
  plan.mayGrow && made.bytes > source.bytes
    ? `The ${source.format.toUpperCase()} source became ${made.format.toUpperCase()}, which every browser shows, and grew from ${source.bytes} to ${made.bytes} bytes.`
    : undefined

/** What a bound limits, in words. */
const BOUNDS: Readonly<Record<BoundName, string>> = {
  ssimulacra: 'SSIMULACRA',
  butteraugli3: 'Butteraugli',
  tileColour: 'colour of small areas',
  contour: 'false contours',
}

/** Broken bounds by name, in brackets after what is said of them; nothing where none is known. */
export const namedBounds = (broken: readonly BoundName[]): string =>
  broken.length === 0 ? '' : ` (${broken.map((name) => BOUNDS[name]).join(', ')})`

/** What is said of a result that breaks bounds although there was time. */
export const missedWarning = (broken: readonly BoundName[]): string =>
  `The quality target could not be reached in this format${namedBounds(broken)}; this is the nearest result.`

/** The same where nothing more is known. */
export const MISSED = missedWarning([])

/** The source's own coefficients or pixels lose nothing: they meet every target. */
const meets = (candidate: FinishedFile): boolean => candidate.meetsTarget === true || candidate.untouched === true
