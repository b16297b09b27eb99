import type { AnyRaster } from '../../core/image.ts'
import { type KernelPool, kernelPool } from '../../support/kernel-pool.ts'
import { DEFAULT_LIMITS, type MetricLimits } from '../limits.ts'
import { assertSameSize, assertWhole, hasTransparency, reachEightPixels } from '../raster.ts'
import { loadSsimulacra2, type Ssimulacra2Kernel } from './kernel.ts'
import { compareInTurns, compareKept, keepReference } from './runs.ts'
import { keptBytes, type Mode, packMasks, shapeScales } from './scales.ts'
import { type Ssimulacra2Scores, worseOf } from './scores.ts'

/** A reference made ready for many comparisons; `free` it when done. */
export interface Ssimulacra2Reference extends Disposable {
  /** SSIMULACRA 2.1 score of a candidate of the same size, 100 for identical; throws a RangeError for another size. */
  compare(candidate: AnyRaster, mode?: Mode): number
  /** The same with the worst region's score. */
  scores(candidate: AnyRaster, mode?: Mode): Ssimulacra2Scores
  /** Whether the reference's side is kept in memory (about 20 bytes a pixel when pruned) or worked out again each time. */
  readonly kept: boolean
  /** Bytes of memory held until `free`: 0 when nothing is kept. */
  readonly bytes: number
  free(): void
}

/** Scores images by SSIMULACRA 2.1. */
export interface Ssimulacra2 {
  /** Makes a reference ready. Its data is not copied and must not change until `free`. Pruned unless `exact` is said. */
  prepare(reference: AnyRaster, mode?: Mode): Ssimulacra2Reference
}

/** Where anything is transparent both images are composited on these greys, and the worse score counts. */
const BACKGROUNDS = [0.1, 0.9]
/** Without transparency there is nothing to vary, and no compositing. */
const OPAQUE = [-1]

const prepareIn = (
  pool: KernelPool<Ssimulacra2Kernel>,
  keep: number,
  given: AnyRaster,
  usual: Mode,
): Ssimulacra2Reference => {
  assertWhole(given)
  const reference = reachEightPixels(given)
  const shapes = shapeScales(reference.width, reference.height, usual)
  const backgrounds = hasTransparency(reference) ? BACKGROUNDS : OPAQUE
  const kept = keptBytes(shapes) * backgrounds.length <= keep ? keepReference(pool, shapes, backgrounds) : []
  const bytes = kept.reduce((sum, { kernel }) => sum + kernel.bytes(), 0)

  const scoresOn = (candidate: AnyRaster, mode: Mode, grey: number): Ssimulacra2Scores => {
    const wanted = shapeScales(reference.width, reference.height, mode)
    const match = { reference, candidate, shapes: wanted }
    // An opaque reference looks alike on every grey: its one kernel serves them all.
    const own = kept.find((one) => one.grey === grey || backgrounds === OPAQUE)
    const fits = own && packMasks(wanted) === packMasks(shapes)
    return fits ? compareKept(own, match, grey) : compareInTurns(pool, match, grey)
  }

  const scores = (offered: AnyRaster, mode: Mode = usual): Ssimulacra2Scores => {
    assertWhole(offered)
    assertSameSize(given, offered)
    const candidate = reachEightPixels(offered)
    const needed = backgrounds === BACKGROUNDS || hasTransparency(candidate) ? BACKGROUNDS : OPAQUE
    return needed.map((grey) => scoresOn(candidate, mode, grey)).reduce(worseOf)
  }

  const free = (): void => {
    for (const { kernel } of kept.splice(0)) pool.give(kernel)
  }

  const compare = (candidate: AnyRaster, mode?: Mode): number => scores(candidate, mode).score
  return { kept: kept.length > 0, bytes, compare, scores, free, [Symbol.dispose]: free }
}

/** Loads the kernel; throws when it has not been built. One serves a process for its whole life. */
export const openSsimulacra2 = async (limits: Partial<MetricLimits> = {}): Promise<Ssimulacra2> => {
  const { keep, idle } = { ...DEFAULT_LIMITS, ...limits }
  const pool = kernelPool(loadSsimulacra2(), idle)
  return { prepare: (reference, mode = 'pruned') => prepareIn(pool, keep, reference, mode) }
}
