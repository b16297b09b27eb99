/** CPU in ms per megapixel on a slow core, by step. A step that takes longer than the rest of the deadline is not begun. */
export const MS_PER_MEGAPIXEL = {
  /** Decoding and the metrics. */
  score: 70,
  /** All trials of our own JPEG encoder, both chromas: 155 to 290 on an idle core (9 images of 1.7 to 3 megapixels). They end at the deadline by themselves. */
  'jpeg-search': 250,
  'jpeg-entropy-coding': 100,
  'webp-lossless': 700,
  /** A JPEG encoded in strips, decoded and measured: 71 on an idle core, 100 to 150 on a busy one (docs/sizing.md). */
  'jpeg-strips': 120,
  'palette-search': 300,
  'levels-search': 500,
  /** One trial of levels of the whole, stored quickly, and trials on busy blocks before it: 220 on an idle core (2.8 megapixels). */
  'levels-fast': 220,
  /** Few levels a channel with little effort: 510 to 1,430 on a busy core. */
  'png-fast': 900,
  /** Storing pixels as PNG without loss, and a palette image in the smallest way. */
  png: 1500,
  'png-indexed': 800,
  /** The same with little effort: 150 to 270 on a busy core. */
  'png-indexed-fast': 300,
} as const

export type StepKind = keyof typeof MS_PER_MEGAPIXEL

/** Share of the bytes that another trial must be expected to save. For JPEG measured on 26 photographs (lab/search.md), for WebP and AVIF chosen. */
export const MIN_SAVING = 0.04

/** Results take at least an estimate divided by this factor: 24 of 28 estimates of JPEGs by a part were within it (0.78 to 1.38). */
export const ESTIMATE_ERROR = 1.3

/** Limits of a search beyond its number of trials. */
export interface Budget {
  /** ms left, and a signal that fires when the work is no longer wanted. */
  readonly deadline: { readonly remaining: () => number; readonly signal?: AbortSignal }
  /** Bytes that a result must stay below to be of use. */
  readonly bytesToBeat: () => number
}

/** Expected ms of a step on an image of this many pixels. */
export const expectedMs = (
  step: StepKind,
  { width, height }: { readonly width: number; readonly height: number },
): number => ((width * height) / 1e6) * MS_PER_MEGAPIXEL[step]

/** Whether a step of `ms` can end within the deadline, and is still wanted. */
export const hasTimeFor = ({ deadline }: Pick<Budget, 'deadline'>, ms: number): boolean =>
  deadline.signal?.aborted !== true && deadline.remaining() > 0 && ms <= deadline.remaining()

/** Whether a step of `ms` cannot end within the deadline. Reports it then: the result must not be kept as the best there is. */
export const lacksTimeFor = (
  request: Pick<Budget, 'deadline'> & { readonly outOfTime: () => void },
  ms: number,
): boolean => {
  if (hasTimeFor(request, ms)) return false
  request.outOfTime()
  return true
}
