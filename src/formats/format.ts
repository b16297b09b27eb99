import type { Deadline } from '../core/deadline.ts'
import type { AnyRaster, Raster, StillFormat } from '../core/image.ts'
import type { Ssimulacra2Scores } from '../metric/ssimulacra2/scores.ts'
import type { Goal } from '../plan/probe.ts'

/** Facts about decoded pixels that an encoder can use. */
export interface Traits {
  readonly opaque: boolean
  readonly grey: boolean
  /** Distinct RGBA colours; 257 stands for more than 256. */
  readonly colours: number
}

/** One encoded image with what was measured of it: the score is of these very bytes, decoded. */
export interface Candidate {
  readonly format: StillFormat
  readonly bytes: Uint8Array
  /** Absent when not judged. */
  readonly score?: number
  /** Decodes to the same pixels as were given (colour under full transparency apart). */
  readonly lossless: boolean
}

export interface SearchRequest {
  readonly pixels: Raster
  readonly traits: Traits
  readonly wanted: { readonly kind: 'lossless' } | { readonly kind: 'score'; readonly goal: Goal }
  /** SSIMULACRA 2.1 of decoded candidate pixels of the same size against the pixels of the request. */
  readonly judge: (candidate: AnyRaster) => number
  /** The same with the score of the worst region of about 256 x 256 px. */
  readonly examine: (candidate: AnyRaster) => Ssimulacra2Scores
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
