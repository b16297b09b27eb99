/** Descriptions by minimum SSIMULACRA 2.1, best first: the bounds of the presets high, medium and low (docs/quality.md). */
const SCORE_WORDS = [
  { from: 85, words: 'looks like the source, also side by side' },
  { from: 70, words: 'looks like the source at 100 %' },
  { from: 55, words: 'small differences at 100 %' },
  { from: Number.NEGATIVE_INFINITY, words: 'visible differences' },
] as const

/** Describes the visible difference that a SSIMULACRA 2.1 score means. */
export const scoreWords = (score: number): string => SCORE_WORDS.find(({ from }) => score >= from)!.words

/** Explains the scale of SSIMULACRA 2.1. */
export const SCORE_SCALE =
  'SSIMULACRA 2.1, from 0 to 100. 100: identical. From 85: preset high. From 70: medium. From 55: low.'

/** Explains the scale of Butteraugli's 3-norm. Lower is better. */
export const BUTTERAUGLI_SCALE =
  'Butteraugli, 3-norm. 0: identical. Up to 0.75: preset high. Up to 1.5: medium. Up to 2.4: low.'
