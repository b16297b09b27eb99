/** Light of the brightest sample where nothing is said of it: 1000 cd/m2, a document's white being 203. */
export const USUAL_PEAK = 1000 / 203

/** Where the bend of the curve below lies between knee and peak (SMPTE ST 2094-50, annex C). */
const KAPPA = 0.65
/** Where a document's white goes on a display without headroom, for {@link USUAL_PEAK}. */
const WHITE_OF_USUAL = 0.5

/**
 * What light is multiplied with so that content of some peak (in document whites) suits a display that shows white and no
 * more, by the largest of its linear BT.2020 components: the reference white tone mapping operator of SMPTE ST 2094-50
 * (annex C), which Chromium applies to PQ and HLG. Below white a constant, then a quadratic Bezier curve up to the peak.
 */
export const toneMapping = (peak: number): ((largest: number) => number) => {
  if (peak <= 1) return () => 1
  const knee = 1 - (1 - WHITE_OF_USUAL) * Math.min(1, Math.log2(peak) / Math.log2(USUAL_PEAK))
  const [midX, midY] = [1 - KAPPA + KAPPA / knee, (1 - KAPPA) * knee + KAPPA]
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
