/** Rate-distortion parameters at a quality. */
export interface RateDistortion {
  /** Bits that a squared error of one step is worth, luma and chroma. */
  readonly lambda: number
  readonly chromaLambda: number
  /** The same for DC; 0 rounds. */
  readonly dcLambda: number
  /** A coefficient that rounds to 0 with this added is not considered. */
  readonly bias: number
  /** No DC step is above this: luma's, chroma's. */
  readonly coarsestDc: number
  readonly coarsestChromaDc: number
  /** How much of each component's lost linear luminance its DC makes up for. */
  readonly dcOffsetShares: readonly number[]
  /** Adaptive quantisation: no block's weight is below this. */
  readonly leastWeight: number
  /** Natural logarithms of the distortion's weights by coefficient, zigzag order: luma, chroma. */
  readonly distortionLogs: readonly [luma: readonly number[], chroma: readonly number[]]
}

interface RateDistortionAt extends RateDistortion {
  readonly quality: number
}

/** Parameters of the quantiser, all measured: see lab/jpeg-encoder.md. */
export interface QuantiserParameters {
  /** By rising quality; between them they are interpolated, beyond the ends they stay. */
  readonly rateDistortion: readonly RateDistortionAt[]
  /** Adaptive quantisation: a block's weight is the mean over its quadrants of 1 / (variance + floor) to this power, about 1. */
  readonly masking: number
  readonly maskingFloor: number
  /** The upper bound of that weight. */
  readonly mostWeight: number
}

const between = (a: number, b: number, part: number): number => a + (b - a) * part

const mixed = (a: readonly number[], b: readonly number[], part: number): readonly number[] =>
  a.map((value, k) => between(value, b[k]!, part))

/** Rate-distortion parameters at `quality`, interpolated. */
export const rateDistortionAt = ({ rateDistortion }: QuantiserParameters, quality: number): RateDistortion => {
  const above = rateDistortion.findIndex((row) => row.quality > quality)
  if (above === 0) return rateDistortion[0]!
  if (above < 0) return rateDistortion.at(-1)!
  const [a, b] = [rateDistortion[above - 1]!, rateDistortion[above]!]
  const part = (quality - a.quality) / (b.quality - a.quality)
  return {
    lambda: between(a.lambda, b.lambda, part),
    chromaLambda: between(a.chromaLambda, b.chromaLambda, part),
    dcLambda: between(a.dcLambda, b.dcLambda, part),
    bias: between(a.bias, b.bias, part),
    coarsestDc: between(a.coarsestDc, b.coarsestDc, part),
    coarsestChromaDc: between(a.coarsestChromaDc, b.coarsestChromaDc, part),
    dcOffsetShares: mixed(a.dcOffsetShares, b.dcOffsetShares, part),
    leastWeight: between(a.leastWeight, b.leastWeight, part),
    distortionLogs: [
      mixed(a.distortionLogs[0], b.distortionLogs[0], part),
      mixed(a.distortionLogs[1], b.distortionLogs[1], part),
    ],
  }
}

/** The parameters with lambda and chroma's lambda multiplied. */
export const scaleLambda = (parameters: QuantiserParameters, factor: number): QuantiserParameters => ({
  ...parameters,
  rateDistortion: parameters.rateDistortion.map((row) => ({
    ...row,
    lambda: row.lambda * factor,
    chromaLambda: row.chromaLambda * factor,
  })),
})

/** The parameters in use. */
export const DEFAULT_PARAMETERS: QuantiserParameters = {
  masking: 0.8,
  maskingFloor: 80,
  mostWeight: 4,
  rateDistortion: [
    {
      quality: 15,
      lambda: 13.5,
      chromaLambda: 10.302,
      dcLambda: 4.218,
      bias: 0.393,
      coarsestDc: 12,
      coarsestChromaDc: 13.53,
      dcOffsetShares: [0.93, 0.82, 0],
      leastWeight: 0.25,
      // biome-ignore format: zigzag order, 16 a line
      distortionLogs: [
        [
          0, -0.05, -0.05, 0.01, -0.03, 0.01, -0.01, 0.46, 0.46, -0.01, -0.08, 0.5, 0.6, 0.5, -0.08, 0.07,
          0, 0.52, 0.52, 0, 0.07, 0, 0.26, 0.19, 0.26, 0.19, 0.26, 0, 0.08, 0.11, 0.14, 0.26,
          0.26, 0.14, 0.11, 0.08, -0.1, -0.01, 0.17, 0.21, 0.17, -0.01, -0.1, -0.11, 0, 0.07, 0.07, 0,
          -0.11, -0.09, 0.05, 0.02, 0.05, -0.09, 0.02, -0.07, -0.07, 0.02, 0.03, -0.02, 0.03, -0.01, -0.01, 0,
        ],
        [
          0, 0.15, 0.15, 0.38, 0.14, 0.38, -0.05, -0.06, -0.06, -0.05, -0.13, -0.17, -0.18, -0.17, -0.13, 0.01,
          0.03, 0.05, 0.05, 0.03, 0.01, 0.04, 0.01, -0.05, -0.02, -0.05, 0.01, 0.04, -0.01, -0.01, 0.02, 0.02,
          0.02, 0.02, -0.01, -0.01, 0, 0, 0.05, 0, 0.05, 0, 0, 0.06, -0.02, 0.05, 0.05, -0.02,
          0.06, 0.01, 0, 0, 0, 0.01, 0, -0.01, -0.01, 0, 0.03, 0.02, 0.03, 0.01, 0.01, 0,
        ],
      ],
    },
    {
      quality: 58,
      lambda: 17,
      chromaLambda: 4.8,
      dcLambda: 6.55,
      bias: 0.531,
      coarsestDc: 8,
      coarsestChromaDc: 8,
      dcOffsetShares: [0.66, 0.96, 0],
      leastWeight: 0.4,
      // biome-ignore format: zigzag order, 16 a line
      distortionLogs: [
        [
          0, 0.27, 0.27, 0.01, 0.16, 0.01, -0.01, 0.46, 0.46, -0.01, -0.08, 0.5, 0.6, 0.5, -0.08, 0.07,
          0, 0.52, 0.52, 0, 0.07, 0, 0.26, 0.19, 0.26, 0.19, 0.26, 0, 0.08, 0.11, 0.14, 0.26,
          0.26, 0.14, 0.11, 0.08, -0.1, -0.01, 0.17, 0.21, 0.17, -0.01, -0.1, -0.11, 0, 0.07, 0.07, 0,
          -0.11, -0.09, 0.05, 0.02, 0.05, -0.09, 0.02, -0.07, -0.07, 0.02, 0.03, -0.02, 0.03, -0.01, -0.01, 0,
        ],
        [
          0, 0.15, 0.15, 0.38, 0.14, 0.38, 0.11, 0.1, 0.1, 0.11, 0.03, -0.01, -0.02, -0.01, 0.03, 0.01,
          0.03, 0.05, 0.05, 0.03, 0.01, 0.04, 0.01, -0.05, -0.02, -0.05, 0.01, 0.04, -0.01, -0.01, 0.02, 0.02,
          0.02, 0.02, -0.01, -0.01, 0, 0, 0.05, 0, 0.05, 0, 0, 0.06, -0.02, 0.05, 0.05, -0.02,
          0.06, 0.01, 0, 0, 0, 0.01, 0, -0.01, -0.01, 0, 0.03, 0.02, 0.03, 0.01, 0.01, 0,
        ],
      ],
    },
    {
      quality: 88,
      lambda: 10.591,
      chromaLambda: 11.228,
      dcLambda: 6.55,
      bias: 0.573,
      coarsestDc: 8,
      coarsestChromaDc: 8,
      dcOffsetShares: [0.85, 0.5, 0],
      leastWeight: 0.25,
      // biome-ignore format: zigzag order, 16 a line
      distortionLogs: [
        [
          0, 0.15, 0.15, 0.01, 0.04, 0.01, -0.01, 0.46, 0.46, -0.01, -0.18, 0.4, 0.5, 0.4, -0.18, -0.03,
          -0.1, 0.42, 0.42, -0.1, -0.03, -0.1, 0.16, 0.09, 0.16, 0.09, 0.16, -0.1, -0.02, 0.01, 0.04, 0.16,
          0.16, 0.04, 0.01, -0.02, -0.2, -0.11, 0.07, 0.11, 0.07, -0.11, -0.2, -0.21, -0.1, -0.03, -0.03, -0.1,
          -0.21, -0.09, 0.05, 0.02, 0.05, -0.09, 0.02, -0.07, -0.07, 0.02, 0.03, -0.02, 0.03, -0.01, -0.01, 0,
        ],
        [
          0, 0.15, 0.15, 0.38, 0.14, 0.38, 0.15, 0.14, 0.14, 0.15, 0.07, 0.03, 0.02, 0.03, 0.07, 0.11,
          0.13, 0.15, 0.15, 0.13, 0.11, 0.14, 0.11, 0.05, 0.08, 0.05, 0.11, 0.14, 0.09, 0.09, 0.12, 0.12,
          0.12, 0.12, 0.09, 0.09, 0, 0, 0.05, 0, 0.05, 0, 0, 0.06, -0.02, 0.05, 0.05, -0.02,
          0.06, 0.01, 0, 0, 0, 0.01, 0, -0.01, -0.01, 0, 0.03, 0.02, 0.03, 0.01, 0.01, 0,
        ],
      ],
    },
  ],
}
