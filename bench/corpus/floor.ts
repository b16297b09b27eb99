/** Cost of the guarantee on one image: our bytes, and the quality from which a peer keeps it too. */
export interface Need {
  readonly ours: number
  readonly quality: number
}

export interface Floor {
  readonly images: number
  /** The lowest fixed quality at which the peer keeps the promise on every one of them. */
  readonly quality: number
  readonly ours: number
  readonly theirs: number
}

/** The images that need the least quality: `share` of them, rounded down. */
export const easiest = <N extends Need>(needs: readonly N[], share: number): readonly N[] =>
  needs.toSorted((a, b) => a.quality - b.quality).slice(0, Math.max(1, Math.floor(needs.length * share)))

/** Our bytes in all against the peer's at the one quality that every image needs. `bytesAt` gives the peer's bytes of an image. */
export const findFloor = async <N extends Need>(
  needs: readonly N[],
  bytesAt: (need: N, quality: number) => Promise<number>,
): Promise<Floor> => {
  const quality = Math.max(...needs.map((need) => need.quality))
  let theirs = 0
  for (const need of needs) theirs += await bytesAt(need, quality)
  return { images: needs.length, quality, ours: needs.reduce((sum, { ours }) => sum + ours, 0), theirs }
}

export const median = (numbers: readonly number[]): number =>
  numbers.toSorted((a, b) => a - b)[numbers.length >> 1] ?? Number.NaN

/** The number that so large a part of all lies below. */
export const quantile = (numbers: readonly number[], part: number): number =>
  numbers.toSorted((a, b) => a - b)[Math.min(numbers.length - 1, Math.floor(numbers.length * part))] ?? Number.NaN

/** The mean of ratios. */
export const geometricMean = (numbers: readonly number[]): number =>
  Math.exp(numbers.reduce((sum, one) => sum + Math.log(one), 0) / numbers.length)
