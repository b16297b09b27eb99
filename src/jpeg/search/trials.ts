import type { AnyRaster } from '../../core/image.ts'
import type { Margins } from '../../search/margins.ts'
import type { FirstPass, JpegEncoder, Setting } from '../quantiser/encoder.ts'
import { butteraugliMargin } from './butteraugli-bound.ts'
import { estimateBytes } from './estimate-bytes.ts'
import type { JpegGoal } from './goal.ts'

/** The bounds of a search, in the order in which a trial is measured: the cheapest first. */
export type JpegBound = 'score' | 'tiles' | 'butteraugli'

/** Metrics of candidates against one reference. The pixels of a candidate are valid until the next one is made. */
export interface Reference {
  /** SSIMULACRA 2.1; measured for every trial. */
  compare(candidate: AnyRaster): number
  /** Colour and contours of the worst tile as a score: at least the target where they keep their bounds. Not measured of every trial. */
  tileScore?(candidate: AnyRaster): number
  /** Butteraugli's 3-norm, the dearest: measured of trials that are expected to keep every bound. Absent where it is undefined. */
  butteraugli?(candidate: AnyRaster): number
}

/** One setting with what was measured of the pixels that every decoder will show. */
export interface JpegTrial {
  readonly setting: Setting
  /** Position on the axis of `strength.ts`. */
  readonly strength: number
  /** Estimated by entropy, without headers. */
  readonly bytes: number
  readonly score: number
  readonly tileScore?: number
  readonly norm?: number
  /** Which call of `Reference.butteraugli` measured `norm`, from 0. */
  readonly comparison?: number
  readonly margins: Margins<JpegBound>
}

/** Makes and measures the trials of one encoder. */
export interface Trials {
  /** Encodes a setting and measures its score. */
  readonly make: (parameters: Pick<Setting, 'quality' | 'lambdaScale' | 'smooth'>, strength: number) => JpegTrial
  readonly measureTiles: (trial: JpegTrial) => JpegTrial
  readonly measureButteraugli: (trial: JpegTrial) => JpegTrial
  /** Makes the encoder's coefficients those of a trial. */
  readonly restore: (trial: Pick<JpegTrial, 'setting'>) => void
}

/** Counts of a whole search. */
export interface Counts {
  trials: number
  /** Calls of `Reference.butteraugli`. */
  comparisons: number
}

/** Keeps the statistics of the first pass of each set of tables. Encoded with them, an image scores half a point more, drawings up to eight (lab/jpeg-encoder.md). */
const openStatistics = (encoder: JpegEncoder) => {
  const known = new Map<string, FirstPass>()
  let latest: FirstPass | undefined
  return (parameters: Pick<Setting, 'quality' | 'lambdaScale' | 'smooth'>, isFirst: boolean): FirstPass => {
    const { quality, smooth = 0 } = parameters
    const key = `${quality} ${smooth}`
    // Protected tables have no offsets of DC and need rates alone: those of the last trial are near.
    const learn = (): FirstPass =>
      smooth > 0 && !isFirst ? { rates: encoder.latestRates() } : encoder.analyse({ ...parameters, ...latest })
    latest = known.get(key) ?? learn()
    known.set(key, latest)
    return latest
  }
}

/** The earlier raster of a setting where its memory holds the pixels again: then what was measured of it is not measured twice. */
const sameMemory = (earlier: AnyRaster | undefined, pixels: AnyRaster): AnyRaster => {
  const { buffer, byteOffset, length } = pixels.data
  const isSame = earlier?.data.buffer === buffer && earlier.data.byteOffset === byteOffset
  return isSame && earlier.data.length === length ? earlier : pixels
}

/** Opens the trials of one encoder, measured against `reference` under the bounds of `goal`. */
export const openTrials = (encoder: JpegEncoder, reference: Reference, goal: JpegGoal, counts: Counts): Trials => {
  const { target, butteraugli: limit = Number.POSITIVE_INFINITY } = goal
  const statisticsAt = openStatistics(encoder)
  let shown: { readonly setting: Setting; readonly pixels: AnyRaster } | undefined
  const rasters = new WeakMap<Setting, AnyRaster>()
  const pixelsOf = (setting: Setting): AnyRaster => {
    if (shown?.setting !== setting) {
      const pixels = sameMemory(rasters.get(setting), encoder.reconstruct(setting))
      rasters.set(setting, pixels)
      shown = { setting, pixels }
    }
    return shown.pixels
  }
  return {
    make: (parameters, strength) => {
      counts.trials += 1
      const setting: Setting = { ...parameters, ...statisticsAt(parameters, shown === undefined) }
      const pixels = pixelsOf(setting)
      const bytes = estimateBytes(encoder.transformed)
      const score = reference.compare(pixels)
      return { setting, strength, bytes, score, margins: { score: score - target } }
    },
    measureTiles: (trial) => {
      const tileScore = reference.tileScore?.(pixelsOf(trial.setting)) ?? 100
      // Contours change by leaps with the tables: a margin that is kept says nothing of other strengths, and counts as infinite.
      const tiles = tileScore < target ? tileScore - target : Number.POSITIVE_INFINITY
      return { ...trial, tileScore, margins: { ...trial.margins, tiles } }
    },
    measureButteraugli: (trial) => {
      const norm = reference.butteraugli!(pixelsOf(trial.setting))
      const comparison = counts.comparisons++
      const butteraugli = butteraugliMargin(trial.score, norm, limit)
      return { ...trial, norm, comparison, margins: { ...trial.margins, butteraugli } }
    },
    restore: ({ setting }) => {
      if (shown?.setting !== setting) encoder.quantise(setting)
    },
  }
}
