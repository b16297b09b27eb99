/** Points of [quantiser index, IJG quality of a JPEG with the same mean SSIMULACRA 2.1], by rising index. */
type Curve = readonly (readonly [index: number, quality: number])[]

/** Five Kodak photographs by libwebp (effort 4) against the 1:1 row of plan/source-score. The index is the mean over segments. */
const VP8: Curve = [
  [2, 97],
  [7, 93],
  [14, 85],
  [26, 71],
  [31, 63],
  [39, 50],
  [53, 32],
  [75, 19],
]

/** The same photographs by libaom 4:2:0 (effort 4). */
const AV1: Curve = [
  [24, 98],
  [60, 93],
  [92, 87],
  [120, 78],
  [148, 59],
  [172, 35],
  [196, 23],
  [236, 12],
]

/** Interpolates linearly between the points, and clamps beyond them. */
const along = (curve: Curve, index: number): number => {
  const after = curve.findIndex(([at]) => at >= index)
  if (after <= 0) return curve.at(after)![1]
  const [[x0, y0], [x1, y1]] = [curve[after - 1]!, curve[after]!]
  return y0 + ((index - x0) / (x1 - x0)) * (y1 - y0)
}

/** The IJG quality (1..100) with the loss of VP8 at a quantiser index of 0..127. */
export const equivalentOfVp8 = (index: number): number => along(VP8, index)

/** The IJG quality (1..100) with the loss of AV1 at a base_q_idx of 0..255. 0 is lossless. */
export const equivalentOfAv1 = (index: number): number => (index === 0 ? 100 : along(AV1, index))
