import type { AnyRaster } from '../core/image.ts'
import { type Kernel, loadKernel } from './kernel.ts'
import { type KernelPool, kernelPool } from './kernel-pool.ts'
import { assertWhole, hasTransparency, reachEightPixels } from './raster.ts'
import { compareInTurns, compareKept, keepReference } from './runs.ts'
import { type Depth, keptBytes, packMasks, shapeScales } from './scales.ts'
import { type Verdict, worseOf } from './verdict.ts'

/** A reference made ready for many comparisons; `free` it when done. */
export type Prepared = Disposable & {
  /** SSIMULACRA 2.1 score of a candidate of the same size, 100 for identical; throws a RangeError for another size. */
  compare(candidate: AnyRaster, depth?: Depth): number
  /** The same with the worst region's score. */
  examine(candidate: AnyRaster, depth?: Depth): Verdict
  /** Whether the reference's side is kept in memory (about 20 bytes a pixel when pruned) or worked out again each time. */
  readonly kept: boolean
  /** Bytes of memory held until `free`: 0 when nothing is kept. */
  readonly bytes: number
  free(): void
}

/** Judges images by SSIMULACRA 2.1. */
export type Judge = {
  /** Makes a reference ready. Its data is not copied and must not change until `free`. Pruned unless `exact` is said. */
  prepare(reference: AnyRaster, depth?: Depth): Prepared
}

/** Bounds on memory, in bytes. */
export type JudgeLimits = {
  /** A reference that would take more is not kept: every comparison streams both images through a few rows. */
  readonly keep: number
  /** Memory that instances at rest may hold for the next image. */
  readonly idle: number
}

const defaultLimits: JudgeLimits = { keep: 640 * 2 ** 20, idle: 192 * 2 ** 20 }

/** Where anything is transparent both images are composited on these greys, and the worse score counts. */
const greys = [0.1, 0.9]
/** Without transparency there is one look, and no compositing. */
const opaque = [-1]

const assertSameSize = (one: AnyRaster, other: AnyRaster): void => {
  if (one.width === other.width && one.height === other.height) return
  throw new RangeError(`${other.width} x ${other.height} px cannot be judged against ${one.width} x ${one.height} px`)
}

const prepareIn = (pool: KernelPool<Kernel>, keep: number, given: AnyRaster, usual: Depth): Prepared => {
  assertWhole(given)
  const reference = reachEightPixels(given)
  const shapes = shapeScales(reference.width, reference.height, usual)
  const looks = hasTransparency(reference) ? greys : opaque
  const kept = keptBytes(shapes) * looks.length <= keep ? keepReference(pool, { reference, shapes }, looks) : []
  const bytes = kept.reduce((sum, { kernel }) => sum + kernel.bytes(), 0)

  const look = (candidate: AnyRaster, depth: Depth, grey: number): Verdict => {
    const wanted = shapeScales(reference.width, reference.height, depth)
    const match = { reference, candidate, shapes: wanted }
    // An opaque reference looks alike on every grey: its one kernel serves them all.
    const own = kept.find((one) => one.grey === grey || looks === opaque)
    const fits = own && packMasks(wanted) === packMasks(shapes)
    return fits ? compareKept(own.kernel, match, grey) : compareInTurns(pool, match, grey)
  }

  const examine = (offered: AnyRaster, depth: Depth = usual): Verdict => {
    assertWhole(offered)
    assertSameSize(given, offered)
    const candidate = reachEightPixels(offered)
    const needed = looks === greys || hasTransparency(candidate) ? greys : opaque
    return needed.map((grey) => look(candidate, depth, grey)).reduce(worseOf)
  }

  const free = (): void => {
    for (const { kernel } of kept.splice(0)) pool.give(kernel)
  }

  const compare = (candidate: AnyRaster, depth?: Depth): number => examine(candidate, depth).score
  return { kept: kept.length > 0, bytes, compare, examine, free, [Symbol.dispose]: free }
}

/** Loads the kernel; throws when it has not been built. One judge serves a process for its whole life. */
export const openJudge = async (limits: Partial<JudgeLimits> = {}): Promise<Judge> => {
  const { keep, idle } = { ...defaultLimits, ...limits }
  const pool = kernelPool(await loadKernel(), idle)
  return { prepare: (reference, depth = 'pruned') => prepareIn(pool, keep, reference, depth) }
}
