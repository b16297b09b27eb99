import type { StillFormat } from '../core/image.ts'
import type { Bounds } from './targets.ts'

/** The counted figures of a result, one for each bound. Getters may compute a figure on first access. */
export type PromisedScores = Bounds

/** The name of a bound. */
export type BoundName = keyof Bounds

/**
 * Points of SSIMULACRA that the worst region of 256 x 256 px may score below the whole. A small photograph in a screenshot hardly
 * affects a palette or the score of the whole; without this bound such regions were up to 18 points below it.
 */
const WORST_REGION_POINTS = 10
/**
 * Factor on the bound of Butteraugli's 3-norm for the worst tile of 64 px. A flat background dilutes the norm of the whole. At factors of
 * 1.5 to 1.6 letters on a wide desktop lost their antialiasing. A tomato before a blurred background showed blocks.
 */
const WORST_TILE_FACTOR = 4 / 3

/** The counted SSIMULACRA 2.1 score: the lower of the whole's score and the worst region's plus {@link WORST_REGION_POINTS}. */
export const countedScore = (whole: number, worstRegion: number): number =>
  Math.min(whole, worstRegion + WORST_REGION_POINTS)

/** The counted 3-norm of Butteraugli: the higher of the whole's norm and the worst tile's divided by {@link WORST_TILE_FACTOR}. */
export const countedDistance = (whole: number, worstSquare: number): number =>
  Math.max(whole, worstSquare / WORST_TILE_FACTOR)

/**
 * Share of a false contour that counts, by format. Lossy WebP and AVIF filter the edges of their blocks, so that a step is wider and seen less than
 * a JPEG's of the same height. Set by eye on ten images at 100 % and 200 % (docs/quality.md): steps of 3.8 in WebP, 4 in AVIF and 2.5 in
 * JPEG are equally visible.
 */
const CONTOUR_SHARE: Readonly<Partial<Record<StillFormat, number>>> = { webp: 1 / 1.5, avif: 1 / 1.6 }

/** False contours of a lossy file as they count in its format; colour that bled counts in full. */
export const countedContour = (
  { contour, bleeding }: { readonly contour: number; readonly bleeding: number },
  format: StillFormat,
): number => Math.max(bleeding, contour * (CONTOUR_SHARE[format] ?? 1))

/** The bounds, cheapest to measure first, with the test that each figure must pass. */
const RULES: readonly (readonly [name: BoundName, keeps: (figure: number, bound: number) => boolean])[] = [
  ['tileColour', (shift, most) => shift <= most],
  ['contour', (step, most) => step <= most],
  ['ssimulacra', (score, least) => score >= least],
  ['butteraugli3', (distance, most) => distance <= most],
]

/** Yields the name of every broken bound of those that were measured. A caller that stops at the first one computes no further figure. NaN breaks every bound. */
export function* brokenBounds(scores: Partial<PromisedScores>, bounds: Bounds): Generator<BoundName, void> {
  for (const [name, keeps] of RULES) {
    const figure = scores[name]
    if (figure !== undefined && !keeps(figure, bounds[name])) yield name
  }
}
