import type { Deadline } from '../core/deadline.ts'
import type { AnyRaster, Box, Raster, StillFormat } from '../core/image.ts'
import type { BoundName, PromisedScores } from '../plan/promise.ts'
import type { Margins } from '../search/margins.ts'
import type { StepPace } from './step-pace.ts'

/** Goal of a search: a score, in points of SSIMULACRA 2.1, and the excess that ends the search. */
export interface Goal {
  readonly score: number
  readonly slack: number
}

/** Facts about decoded pixels that an encoder can use. */
export interface PixelFeatures {
  readonly opaque: boolean
  readonly grey: boolean
  /** Distinct RGBA colours; 257 stands for more than 256. */
  readonly colours: number
  /** Share of pixels, 0..1, that equal their left neighbour. */
  readonly flatness: number
  /** Share of pixels, 0..1, that three neighbours predict within one sample value. */
  readonly planes: number
}

/** Measurements of a candidate's pixels against those of the request. */
export interface Examined {
  /** SSIMULACRA 2.1; absent where it was not measured, because a tile breaks a bound. */
  readonly score?: number
  /** Butteraugli's 3-norm; absent when it was not measured. */
  readonly butteraugli?: number
  /** The distance that the bound is held against: the 3-norm, or what that of the worst square counts, if more; absent like it. */
  readonly distance?: number
  /** Whether every bound of the promise is kept. */
  readonly keeps: boolean
  /** The bounds that it breaks, as far as they were measured. */
  readonly broken: readonly BoundName[]
  /** The score as which the measure that is farthest from its bound counts. */
  readonly effective: number
  /** Points of SSIMULACRA 2.1 above what each bound asks for, of those that were measured: a search along a quality setting follows the smallest. */
  readonly margins: Margins<BoundName>
  /** The figures that the bounds are held against. */
  readonly figures: Partial<PromisedScores>
}

/** A search stops within this many points above the goal. */
export const SLACK = 1

/** Margin of an image against itself, in points. */
const IDENTICAL_MARGIN = 100
/** Measurements of an image against itself. */
export const IDENTICAL: Examined = {
  score: 100,
  butteraugli: 0,
  keeps: true,
  broken: [],
  effective: 100,
  margins: { ssimulacra: IDENTICAL_MARGIN },
  figures: { ssimulacra: 100, butteraugli3: 0, tileColour: 0, contour: 0 },
}

/**
 * Measures decoded pixels of the request's size. False contours count as they do in JPEG and PNG, or in a lossy `format`. Butteraugli is not measured
 * where a cheaper bound is broken by more than `patience` points; below 0, neither is SSIMULACRA where a tile breaks a bound.
 */
export type Examine = (candidate: AnyRaster, format?: StillFormat, patience?: number) => Examined

/** One encoded image with what was measured of it: of these very bytes, decoded. */
export interface Candidate {
  readonly kind: 'candidate'
  readonly format: StillFormat
  readonly bytes: Uint8Array
  /** Absent when nothing was measured. */
  readonly examined?: Examined
  /** Decodes to the same pixels as were given (colour under full transparency apart). */
  readonly lossless: boolean
}

/** Yielded before an expensive step: no later candidate of this search is expected to take fewer bytes. */
export interface Estimate {
  readonly kind: 'estimate'
  readonly bytes: number
}

/** One step of a search. A search that is not resumed after an estimate has cost little. */
export type Step = Estimate | Candidate

/** The estimate of a search that may also reach `bytes` in another way. */
export const orElse = (step: Step, bytes: number): Step =>
  step.kind === 'estimate' ? { kind: 'estimate', bytes: Math.min(step.bytes, bytes) } : step

/**
 * Measures of candidates, the cheapest first: `ssimulacra2`, then `tileScore`, then `examine`. Butteraugli takes as long as the other figures of
 * three candidates. Results are cached for each candidate, so its pixels must not change between calls.
 */
export interface Measures {
  readonly examine: Examine
  /** SSIMULACRA 2.1 of the whole, or what that of its worst region counts, if less. */
  readonly ssimulacra2: (candidate: AnyRaster) => number
  /** The score as which the worst tile's colour and contours count: the goal where the worse of them is at its bound, more where they keep it. */
  readonly tileScore: (candidate: AnyRaster) => number
  /** The largest Butteraugli 3-norm that keeps the promise. */
  readonly mostButteraugli: number
}

export interface SearchRequest extends Measures {
  readonly pixels: Raster
  readonly features: PixelFeatures
  readonly wanted: { readonly kind: 'lossless' } | { readonly kind: 'score'; readonly goal: Goal }
  /** The same for a part of the image: the busy share of it, 0..1, in which all that a candidate may change lies; places in `boxes` alone, where given. */
  readonly examinePart: (part: Raster, busy: number, boxes?: readonly Box[]) => Disposable & Measures
  /** More CPU than usual for fewer bytes. */
  readonly effort?: 'more'
  readonly deadline: Deadline
  /** How long steps take on this machine, learned from those that ended. */
  readonly pace: StepPace
  /** Whether no other format is searched. */
  readonly alone: boolean
  /** Bytes of the best verified candidate of any format so far; what cannot get below need not be finished. */
  readonly bytesToBeat: () => number
  /** Called once for each full encode. */
  readonly encoded: () => void
  /** Called when something was left out for want of time: the result must not be kept as the best there is. */
  readonly outOfTime: () => void
}

/** A still image format: a name, and a search that yields ever better candidates, a quick one first, and an estimate before each expensive step. */
export interface StillCodec {
  readonly format: StillFormat
  readonly search: (request: SearchRequest) => AsyncGenerator<Step>
}
