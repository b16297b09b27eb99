import type { Deadline } from '../core/deadline.ts'
import type { AnyRaster, Raster, StillFormat } from '../core/image.ts'
import type { Goal } from '../plan/probe.ts'
import type { BoundName } from '../plan/promise.ts'

/** Facts about decoded pixels that an encoder can use. */
export interface Traits {
  readonly opaque: boolean
  readonly grey: boolean
  /** Distinct RGBA colours; 257 stands for more than 256. */
  readonly colours: number
}

/** What was measured of a candidate's pixels against those of the request. */
export interface Examined {
  /** SSIMULACRA 2.1. */
  readonly score: number
  /** Butteraugli's 3-norm; absent where the score alone tells that the promise is not kept. */
  readonly butteraugli?: number
  /** Whether every bound of the promise is kept. */
  readonly keeps: boolean
  /** The bounds that it breaks, as far as they were measured. */
  readonly broken: readonly BoundName[]
  /** The score as which the measure that is farthest from its bound counts: a search along a quality setting follows it. */
  readonly effective: number
}

/** What is measured of an image against itself. */
export const IDENTICAL: Examined = { score: 100, butteraugli: 0, keeps: true, broken: [], effective: 100 }

/** Measures decoded pixels of the request's size. */
export type Examine = (candidate: AnyRaster) => Examined

/** One encoded image with what was measured of it: of these very bytes, decoded. */
export interface Candidate {
  readonly format: StillFormat
  readonly bytes: Uint8Array
  /** Absent when nothing was measured. */
  readonly examined?: Examined
  /** Decodes to the same pixels as were given (colour under full transparency apart). */
  readonly lossless: boolean
}

export interface SearchRequest {
  readonly pixels: Raster
  readonly traits: Traits
  readonly wanted: { readonly kind: 'lossless' } | { readonly kind: 'score'; readonly goal: Goal }
  readonly examine: Examine
  /** The score as which all but Butteraugli counts: that alone takes as long as ten scores, so who has many candidates asks it last. */
  readonly scoreQuickly: (candidate: AnyRaster) => number
  /** The largest Butteraugli 3-norm that keeps the promise. */
  readonly mostButteraugli: number
  /** The same for a part of the image: the busy share of it, 0..1, in which all that a candidate may change lies. */
  readonly examinePart: (part: Raster, busy: number) => Disposable & { readonly examine: Examine }
  readonly deadline: Deadline
  /** Bytes of the best verified candidate of any format so far; what cannot get below need not be finished. */
  readonly beat: () => number
  /** Called once for each full encode. */
  readonly encoded: () => void
  /** Called when something was left out for want of time: the result must not be kept as the best there is. */
  readonly hurried: () => void
}

/** A still image format: a name, and a search that yields ever better candidates, a quick one first. */
export interface StillCodec {
  readonly format: StillFormat
  readonly search: (request: SearchRequest) => AsyncIterable<Candidate>
}
