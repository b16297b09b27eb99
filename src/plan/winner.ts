import type { OutputFormat, SourceFacts } from '../core/image.ts'
import type { ResultFile } from '../core/outcome.ts'
import type { Plan } from './plan.ts'
import type { BoundName } from './promise.ts'

/** Facts about a finished encode that decide whether it is the result. */
export type FinishedFile = Pick<
  ResultFile,
  'format' | 'bytes' | 'score' | 'butteraugli' | 'margin' | 'meetsTarget' | 'untouched'
>

/**
 * Whether `a` is better than `b`. A file that meets the target is better than one that does not; then fewer bytes win. If both miss it, one that
 * was measured by every bound wins, then the smaller shortfall.
 */
export const isBetter = (a: FinishedFile, b: FinishedFile): boolean => {
  if (meets(a) !== meets(b)) return meets(a)
  if (meets(a)) return a.bytes < b.bytes
  if (isMeasured(a) !== isMeasured(b)) return isMeasured(a)
  const ahead = negativeShortfall(a) - negativeShortfall(b)
  return Number.isNaN(ahead) || ahead === 0 ? a.bytes < b.bytes : ahead > 0
}

/** Whether every bound was measured: Butteraugli comes last. */
const isMeasured = ({ butteraugli }: FinishedFile): boolean => butteraugli !== undefined

/** A measure that grows as a file comes nearer to its target. -Infinity without a measurement. */
const negativeShortfall = ({ margin, score }: FinishedFile): number =>
  margin ?? (score === undefined ? -Infinity : score - 100)

/** The better of the best so far and a new candidate, which may be the source's own bytes (§3.4). The earlier one if neither is better. */
export const betterOf = <C extends FinishedFile>(best: C | undefined, next: C): C =>
  best === undefined || isBetter(next, best) ? next : best

/** The Warning about a result that is larger than its source. undefined when it is not. */
export const growthWarning = (plan: Plan, source: SourceFacts, file: FinishedFile): string | undefined => {
  if (file.bytes <= source.bytes) return undefined
  const [from, to] = [source.format.toUpperCase(), file.format.toUpperCase()]
  return plan.mayGrow
    ? `The ${from} source became ${to}, which every browser shows, and grew from ${source.bytes} to ${file.bytes} bytes.`
    : `The ${to} result is larger than its ${from} source: ${file.bytes} bytes against ${source.bytes}.`
}

/** The Warning about an answer that encoders failed to improve. undefined without a failure. A format may have results from before its failure. */
export const failedWarning = (
  failed: readonly OutputFormat[],
  { format, untouched }: Pick<FinishedFile, 'format' | 'untouched'>,
): string | undefined => {
  if (failed.length === 0) return undefined
  const names = failed.map((name) => name.toUpperCase()).join(' and ')
  if (untouched === true) return `${names} could not be encoded: this is the untouched source without its metadata.`
  return failed.includes(format)
    ? `${names} could not be searched to the end: this is the best result until then.`
    : `${names} could not be encoded: this is the best result without it.`
}

/** Adds a Warning to a result, if there is one. */
export const withWarning = (result: ResultFile, warning: string | undefined): ResultFile =>
  warning === undefined ? result : { ...result, warnings: [...result.warnings, warning] }

/** The subject of each bound in plain words. */
const BOUNDS: Readonly<Record<BoundName, string>> = {
  ssimulacra: 'SSIMULACRA',
  butteraugli3: 'Butteraugli',
  tileColour: 'colour of small areas',
  contour: 'false contours',
}

/** Broken bounds by name, in brackets. Empty without any. */
export const namedBounds = (broken: readonly BoundName[]): string =>
  broken.length === 0 ? '' : ` (${broken.map((name) => BOUNDS[name]).join(', ')})`

/** A broken bound with the measured figure and the limit. */
export interface Shortfall {
  readonly bound: BoundName
  readonly figure: number
  readonly limit: number
}

/** A number with at most two decimals. */
const short = (figure: number): string => `${Number(figure.toFixed(2))}`

/** The Warning about a result that breaks bounds although time was left. */
export const missedWarning = (shortfalls: readonly Shortfall[]): string => {
  const named = shortfalls.map(({ bound, figure, limit }) => `${BOUNDS[bound]} ${short(figure)} for ${short(limit)}`)
  const figures = named.length === 0 ? '' : ` (${named.join(', ')})`
  return `The quality target could not be reached in this format${figures}; this is the nearest result.`
}

/** The same Warning without figures. */
export const MISSED = missedWarning([])

/** Whether a file meets the target. The source's own coefficients or pixels lose nothing, so they do. */
const meets = (candidate: FinishedFile): boolean => candidate.meetsTarget === true || candidate.untouched === true
