import type { ResultFile } from '../../core/outcome.ts'
import type { Histogram } from '../../formats/palette/histogram.ts'
import type { MotionJob } from '../frames/job.ts'
import type { CodableAnimation } from './coder/frame.ts'
import type { GifBase } from './gif-base.ts'

/** Frames ready for our own coder. */
export interface CodableFrames {
  readonly animation: CodableAnimation
  readonly histogram: Histogram
}

/** How many frames judge the files of a search. */
export interface SampleSize {
  readonly most: number
  /** With more time there would be more. */
  readonly timeLimited: boolean
}

/** The search as it stands: the smallest file so far that may be given out. */
export interface GifSearch {
  readonly job: MotionJob
  readonly base: GifBase
  readonly sample: SampleSize
  /** Encodes by gifsicle that it may take in all. */
  readonly most: number
  /** Of the frames stored without loss by gifsicle. */
  exactBytes: number
  best: ResultFile | undefined
  encodes: number
  /** Those of them by our own coder. */
  coded: number
  /** The base's frames, once our coder asked for them: of a base that is the source itself. */
  codable: Promise<CodableFrames | undefined> | undefined
  /** Time ended it, not the lack of anything better. */
  timeLimited: boolean
}
