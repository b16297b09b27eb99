/** One image under one option list, as it came out. */
export interface Reading {
  readonly file: string
  readonly options: string
  readonly bytes: number
  /** SSIMULACRA 2.1 as the answer would say it; absent where nothing was compared. */
  readonly score?: number
  /** Butteraugli's 3-norm, likewise. */
  readonly butteraugli?: number
}

/** One run over the public images: an entry of `bench/history.json`. */
export interface Run {
  readonly version: string
  /** ISO date. */
  readonly date: string
  /** Environment: versions of Node and libvips, the processor's architecture. */
  readonly platform: string
  /** Reason for the run, in a few words. */
  readonly note: string
  /** CPU of the whole run, one sharp mozjpeg encode of each photograph counted as 1. */
  readonly cpu: number
  readonly readings: readonly Reading[]
}

/** Bytes of all readings of one option list against an earlier run's, as a ratio of geometric means. */
export interface Change {
  readonly options: string
  readonly images: number
  readonly ratio: number
}

/** Larger growth of the bytes is a regression. */
export const MAX_GROWTH = 1.01

const keyOf = ({ file, options }: Reading): string => `${options} ${file}`

const geometricMean = (ratios: readonly number[]): number =>
  Math.exp(ratios.reduce((sum, ratio) => sum + Math.log(ratio), 0) / ratios.length)

/** How bytes changed from one run to another, by option list; readings that only one of them has are left out. */
export const compareRuns = (before: Run, after: Run): readonly Change[] => {
  const earlier = new Map(before.readings.map((reading) => [keyOf(reading), reading]))
  const ratios = new Map<string, number[]>()
  for (const reading of after.readings) {
    const old = earlier.get(keyOf(reading))
    if (old === undefined) continue
    ratios.set(reading.options, [...(ratios.get(reading.options) ?? []), reading.bytes / old.bytes])
  }
  return [...ratios].map(([options, all]) => ({ options, images: all.length, ratio: geometricMean(all) }))
}

/** The regressions beyond `MAX_GROWTH`, one sentence each. */
export const regressions = (before: Run, after: Run): readonly string[] =>
  compareRuns(before, after)
    .filter(({ ratio }) => ratio > MAX_GROWTH)
    .map(
      ({ options, images, ratio }) =>
        `"${options}": ${((ratio - 1) * 100).toFixed(1)} % more bytes than in ${before.version} of ${before.date} (${images} images)`,
    )
