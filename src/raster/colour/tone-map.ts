import { NITS } from '../../core/hdr.ts'

/** Default peak, relative to document white: 1000 cd/m2 over 203. */
export const DEFAULT_PEAK = NITS.hlgPeak / NITS.white

/** Numbers of the reference white tone mapping operator (SMPTE ST 2094-50, annex C). */
const OPERATOR = {
  /** Position of the curve's middle control point between knee and peak. */
  kappa: 0.65,
  /** Output level of document white on a display without headroom, for {@link DEFAULT_PEAK}. */
  white: 0.5,
} as const

/**
 * The gain for light by its largest linear BT.2020 component. It maps content with a peak (relative to document white) to a display
 * without headroom: this operator, which Chromium applies to PQ and HLG. Below
 * white it is a constant, then a quadratic Bezier curve up to the peak.
 */
export const toneMapping = (peak: number): ((largest: number) => number) => {
  if (peak <= 1) return () => 1
  const { kappa, white } = OPERATOR
  const knee = 1 - (1 - white) * Math.min(1, Math.log2(peak) / Math.log2(DEFAULT_PEAK))
  const [midX, midY] = [1 - kappa + kappa / knee, (1 - kappa) * knee + kappa]
  const [ax, bx] = [1 - 2 * midX + peak, 2 * midX - 2]
  const [ay, by] = [knee - 2 * midY + 1, 2 * midY - 2 * knee]
  return (largest) => {
    if (largest <= 1) return knee
    if (largest >= peak) return 1 / largest
    const root = Math.sqrt(bx * bx + 4 * ax * (largest - 1))
    const t = (2 * (largest - 1)) / (bx + root)
    return (knee + by * t + ay * t * t) / largest
  }
}
