/** What is weighed how in an attempt. Every figure was found by measuring: see docs/jpeg-encoder.md. */
export type Tuning = {
  /** Bits that a squared error of one step is worth, luma and chroma. */
  lambda: number
  chromaLambda: number
  /** The same for DC; 0 rounds. */
  dcLambda: number
  /** Chroma's and DC's steps against the family's. */
  chromaScale: number
  dcScale: number
  /** Exponent that tilts luma's steps: above 0 high frequencies get coarser, low ones finer. */
  tilt: number
  /** Masking: a block's weight is (mean over quadrants of 1 / (variance + floor)) to this power, about 1. */
  masking: number
  floor: number
  /** Bounds of that weight. */
  least: number
  most: number
  /** Exponent of frequency in the distortion's weight: above 0 high frequencies count more. */
  detail: number
  /** What rounds to 0 with this added is not considered at all. */
  bias: number
  /** Natural logarithms of factors on the steps of Y, Cb and Cr, zigzag order. */
  stepLogs: readonly (readonly number[])[]
  /** The same on the distortion's weights, luma and chroma. */
  weightLogs: readonly (readonly number[])[]
}

/** The tuning in use. */
export const usualTuning: Tuning = {
  lambda: 15,
  chromaLambda: 15,
  dcLambda: 20,
  chromaScale: 1,
  dcScale: 1,
  tilt: 0,
  masking: 0.6,
  floor: 80,
  least: 0.25,
  most: 4,
  detail: 0,
  bias: 0.5,
  stepLogs: [],
  weightLogs: [],
}
