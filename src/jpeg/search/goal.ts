import type { Budget } from '../../search/budget.ts'
import type { Keep } from '../bitstream/metadata.ts'
import type { CoefficientForm, Setting } from '../quantiser/encoder.ts'
import type { Subsampling } from '../quantiser/quant-tables.ts'

/** Bounds and options of a JPEG search. */
export interface JpegGoal {
  /** Smallest SSIMULACRA 2.1 score. */
  readonly target: number
  /** Largest Butteraugli 3-norm; no bound when absent, or where the reference does not measure it. */
  readonly butteraugli?: number
  /** Chroma subsamplings to choose from, in this order; 4:2:0 and 4:4:4 when absent. */
  readonly subsamplings?: readonly Subsampling[]
  /** Drawings are searched with every subsampling; photographs with 4:4:4 only where 4:2:0 fails or needs fine tables. */
  readonly isDrawing?: boolean
  readonly keep?: Keep
  /** How the coefficients are decoded and written when the result is not a JPEG. */
  readonly form?: CoefficientForm
  /** Trials in one mode; when absent 7, and 9 for small images. Each Butteraugli comparison adds one, tiles that fail add two. */
  readonly maxTrials?: number
  readonly deadline?: Budget['deadline']
  /** Bytes beyond which a result is of no use; no bound when absent. */
  readonly maxBytes?: number
}

/** The best file found, in the form of the goal: the smallest that keeps every bound, else the nearest to them. Its figures are of the pixels that decoders show. */
export interface FoundJpeg {
  readonly bytes: Uint8Array
  /** SSIMULACRA 2.1 score. */
  readonly score: number
  /** Butteraugli 3-norm; absent where it was not measured. */
  readonly butteraugli?: number
  /** Which call of `Reference.butteraugli` measured it, from 0. */
  readonly comparison?: number
  /** Whether every bound is kept. */
  readonly reached: boolean
  /** The file's setting: with it the whole image is encoded where only a sample was searched. */
  readonly setting: Setting
  readonly subsampling: Subsampling
  /** Trials and Butteraugli comparisons of the whole search so far. */
  readonly trials: number
  readonly comparisons: number
}

/** Whether the time for a search is over, or the result is no longer wanted. */
export const isTimeUp = ({ deadline }: JpegGoal): boolean =>
  deadline !== undefined && (deadline.signal?.aborted === true || deadline.remaining() <= 0)
