import type { Keep } from '../bitstream/metadata.ts'
import type { Subsampling } from '../quantiser/quant-tables.ts'

/** Time left, and whether the work is still wanted. */
export interface TimeLimit {
  remaining(): number
  readonly signal?: AbortSignal
}

/** What is wanted of the search. */
export interface JpegGoal {
  /** SSIMULACRA 2.1 score at least. */
  readonly target: number
  /** Butteraugli's 3-norm at most; not looked at when absent, or where the reference cannot tell it. */
  readonly butteraugli?: number
  /** 4:2:0 when absent, and 4:4:4 too where 4:2:0 has a hard time. */
  readonly subsampling?: Subsampling
  readonly keep?: Keep
  /** Trials at most; when absent 7, and 9 for small images, whose score jumps more and whose trials cost little. */
  readonly trials?: number
  readonly deadline?: TimeLimit
  /** Bytes that a result must stay below to be of use; a search whose estimate is above them ends early. */
  readonly beat?: number
  /** Quality to begin with, when something is known; else what is predicted. */
  readonly start?: number
}

/** The smallest file found; `reached` when it keeps every bound. The figures are those of these very bytes. */
export interface FoundJpeg {
  readonly bytes: Uint8Array
  readonly score: number
  /** Absent where it was not asked for. */
  readonly butteraugli?: number
  readonly reached: boolean
  readonly quality: number
  readonly trials: number
  /** Comparisons by Butteraugli, and which of them (from 0) was of these very bytes; absent where none was. */
  readonly comparisons: number
  readonly comparison?: number
  readonly subsampling: Subsampling
  /** About what the symbols take, in bytes: what headers and tables add to that is much alike in files of one image. */
  readonly rateEstimate: number
  /** By how much finer the tables are than was predicted for this score: halved chroma may be why. */
  readonly strain: number
}

/** Whether the time for a search is over, or nobody waits for it. */
export const isTimeUp = ({ deadline }: JpegGoal): boolean =>
  deadline !== undefined && (deadline.signal?.aborted === true || deadline.remaining() <= 0)
