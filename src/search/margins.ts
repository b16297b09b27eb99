/**
 * Margins of one trial by bound, in points of SSIMULACRA 2.1 above what the bound asks for. A bound without a margin was not measured:
 * margins are measured one at a time, the cheapest first, and usually no further once one is below 0.
 */
export type Margins<Bound extends string> = Readonly<Partial<Record<Bound, number>>>

/** A trial with its size and its margins. */
export interface MeasuredTrial<Bound extends string> {
  readonly bytes: number
  readonly margins: Margins<Bound>
}

/** Whether every one of `bounds` was measured and is kept. */
export const isFeasible = <Bound extends string>(margins: Margins<Bound>, bounds: readonly Bound[]): boolean =>
  bounds.every((bound) => (margins[bound] ?? Number.NEGATIVE_INFINITY) >= 0)

/** The binding constraint: the bound with the smallest margin of those that were measured; undefined where none was. */
export const bindingConstraint = <Bound extends string>(
  margins: Margins<Bound>,
): { readonly bound: Bound; readonly margin: number } | undefined =>
  (Object.entries(margins) as [Bound, number][])
    .map(([bound, margin]) => ({ bound, margin }))
    .toSorted((a, b) => a.margin - b.margin)[0]

/** The smallest margin; -Infinity where one of `bounds` was not measured. */
const smallestMargin = <Bound extends string>({ margins }: MeasuredTrial<Bound>, bounds: readonly Bound[]): number =>
  Math.min(...bounds.map((bound) => margins[bound] ?? Number.NEGATIVE_INFINITY))

/** The trial of the fewest bytes that keeps every bound; where none does, the one with the largest of the smallest margins. */
export const bestTrial = <Bound extends string, T extends MeasuredTrial<Bound>>(
  trials: readonly T[],
  bounds: readonly Bound[],
): T | undefined =>
  trials.filter(({ margins }) => isFeasible(margins, bounds)).toSorted((a, b) => a.bytes - b.bytes)[0] ??
  trials.toSorted((a, b) => smallestMargin(b, bounds) - smallestMargin(a, bounds))[0]
