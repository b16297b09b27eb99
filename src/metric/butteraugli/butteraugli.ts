import type { AnyRaster } from '../../core/image.ts'
import { kernelPool } from '../../support/kernel-pool.ts'
import { DEFAULT_LIMITS, type MetricLimits } from '../limits.ts'
import { assertSameSize, assertWhole, hasTransparency, reachEightPixels } from '../raster.ts'
import { loadButteraugli } from './kernel.ts'
import type { ButteraugliScores } from './norms.ts'
import { compareOnKept, compareRowByRow, keepOnGreys } from './runs.ts'

/** A reference made ready for many comparisons; `free` it when done. */
export interface ButteraugliReference extends Disposable {
  /** Distances of a candidate of the same size, 0 for identical; throws a RangeError for another size. */
  compare(candidate: AnyRaster): ButteraugliScores
  /** Bytes of memory held until `free`: 0 when nothing is kept, and the reference is worked out again each time. */
  readonly bytes: number
  free(): void
}

/** Butteraugli by libjxl 0.7's definition, at 80 nits: the figures that Debian's `butteraugli_main` prints. */
export interface Butteraugli {
  /** Makes a reference ready. Its data is not copied and must not change until `free`. */
  prepare(reference: AnyRaster): ButteraugliReference
}

/** Where anything is transparent both images are composited on black and on white, as the reference tool does. */
const BACKGROUNDS = [0, 1]
/** Without transparency there is nothing to vary, and no compositing. */
const OPAQUE = [-1]

/** Bytes that kernels take to keep a reference: rows in work, eight planes of floats at full and at half size, cells, and with alpha the map. */
const keptBytes = ({ width, height }: AnyRaster, backgrounds: number): number =>
  backgrounds * width * (11_000 + height * (43 + (backgrounds > 1 ? 4 : 0)))

/** Loads the kernel; throws when it has not been built. One serves a process for its whole life. */
export const openButteraugli = async (limits: Partial<MetricLimits> = {}): Promise<Butteraugli> => {
  const { keep, idle, columns } = { ...DEFAULT_LIMITS, ...limits }
  const pool = kernelPool(loadButteraugli(), idle)
  // Most references have one comparison or two. Fresh memory costs more (27 ms per megapixel) than to compute the reference again (19).
  const worthKeeping = Math.min(keep, idle)

  const prepare = (given: AnyRaster): ButteraugliReference => {
    assertWhole(given)
    const reference = reachEightPixels(given)
    const greys = hasTransparency(reference) ? BACKGROUNDS : OPAQUE
    const kept = keptBytes(reference, greys.length) <= worthKeeping ? keepOnGreys(pool, reference, greys) : []
    const bytes = kept.reduce((sum, { kernel }) => sum + kernel.bytes(), 0)

    const compare = (offered: AnyRaster): ButteraugliScores => {
      assertWhole(offered)
      assertSameSize(given, offered)
      const candidate = reachEightPixels(offered)
      const needed = greys === BACKGROUNDS || hasTransparency(candidate) ? BACKGROUNDS : OPAQUE
      if (kept.length > 0 && needed === greys) return compareOnKept(kept, candidate)
      return compareRowByRow(pool, { reference, candidate, columns }, needed)
    }

    const free = (): void => {
      for (const { kernel } of kept.splice(0)) pool.give(kernel)
    }

    return { bytes, compare, free, [Symbol.dispose]: free }
  }

  return { prepare }
}
