import { type Kernel, loadKernel } from './kernel.ts'
import { kernelPool } from './kernel-pool.ts'
import { assertWhole, hasTransparency, type Raster, reachEightPixels } from './raster.ts'
import { type Depth, keptBytes, packMasks, type ScaleShape, shapeScales } from './scales.ts'
import { sumsLength, type Verdict, verdictOf, worseOf } from './verdict.ts'

/** A reference made ready for many comparisons; `free` it when done. */
export type Prepared = Disposable & {
  /** SSIMULACRA 2.1 score of a candidate of the same size, 100 for identical; throws a RangeError for another size. */
  compare(candidate: Raster, depth?: Depth): number
  /** The same with the worst region's score. */
  examine(candidate: Raster, depth?: Depth): Verdict
  /** Whether the reference's side is kept in memory (20 bytes a pixel when pruned) or worked out again each time. */
  readonly kept: boolean
  /** Bytes of memory held until `free`: 0 when nothing is kept. */
  readonly bytes: number
  free(): void
}

/** Judges images by SSIMULACRA 2.1. */
export type Judge = {
  /** Makes a reference ready. Its data is not copied and must not change until `free`. Pruned unless `exact` is said. */
  prepare(reference: Raster, depth?: Depth): Prepared
}

/** Bounds on memory, in bytes. */
export type JudgeLimits = {
  /** A reference that would take more is not kept: every comparison streams both images through a few rows. */
  readonly keep: number
  /** Memory that instances at rest may hold for the next image. */
  readonly idle: number
}

const defaultLimits: JudgeLimits = { keep: 640 * 2 ** 20, idle: 192 * 2 ** 20 }

/** The reference composites on these greys, where anything is transparent, and the worse score counts. */
const greys = [0.1, 0.9]
const opaque = [-1]

type Pass = { readonly grey: number; readonly kernel: Kernel }

const feedAll = (kernel: Kernel, side: 'reference' | 'candidate', image: Raster, grey: number): void => {
  for (let from = 0; from < image.height; from += kernel.rowsAtOnce) {
    kernel.feed(side, { image, from, count: Math.min(kernel.rowsAtOnce, image.height - from), grey })
  }
}

const feedInTurns = (kernel: Kernel, reference: Raster, candidate: Raster, grey: number): void => {
  for (let from = 0; from < reference.height; from += kernel.rowsAtOnce) {
    const count = Math.min(kernel.rowsAtOnce, reference.height - from)
    kernel.feed('reference', { image: reference, from, count, grey })
    kernel.feed('candidate', { image: candidate, from, count, grey })
  }
}

/** Loads the kernel; throws when it has not been built. One judge serves a process for its whole life. */
export const openJudge = async (limits: Partial<JudgeLimits> = {}): Promise<Judge> => {
  const { keep, idle } = { ...defaultLimits, ...limits }
  const pool = kernelPool(await loadKernel(), idle)

  const begin = (shapes: readonly ScaleShape[], kept: boolean): Kernel => {
    const kernel = pool.take()
    const { width, height } = shapes[0]!
    if (kernel.configure({ width, height, masks: packMasks(shapes), kept })) return kernel
    throw new RangeError(`no memory to judge ${width} x ${height} px`)
  }

  const keepReference = (reference: Raster, shapes: readonly ScaleShape[], backgrounds: readonly number[]): Pass[] =>
    backgrounds.map((grey) => {
      const kernel = begin(shapes, true)
      feedAll(kernel, 'reference', reference, grey)
      return { grey, kernel }
    })

  const stream = (reference: Raster, candidate: Raster, shapes: readonly ScaleShape[], grey: number): Verdict => {
    const kernel = begin(shapes, false)
    feedInTurns(kernel, reference, candidate, grey)
    const verdict = verdictOf(kernel.sums(sumsLength(reference.width, reference.height)), shapes)
    pool.give(kernel)
    return verdict
  }

  const compareKept = ({ kernel }: Pass, candidate: Raster, shapes: readonly ScaleShape[], grey: number): Verdict => {
    kernel.restart('candidate')
    feedAll(kernel, 'candidate', candidate, grey)
    return verdictOf(kernel.sums(sumsLength(candidate.width, candidate.height)), shapes)
  }

  const prepare = (given: Raster, preparedDepth: Depth = 'pruned'): Prepared => {
    assertWhole(given)
    const reference = reachEightPixels(given)
    const transparent = hasTransparency(reference)
    const shapes = shapeScales(reference.width, reference.height, preparedDepth)
    const backgrounds = transparent ? greys : opaque
    const kept = keptBytes(shapes) * backgrounds.length <= keep
    const passes = kept ? keepReference(reference, shapes, backgrounds) : []

    const examine = (offered: Raster, depth: Depth = preparedDepth): Verdict => {
      assertWhole(offered)
      if (offered.width !== given.width || offered.height !== given.height) {
        throw new RangeError(
          `${offered.width} x ${offered.height} px cannot be judged against ${given.width} x ${given.height}`,
        )
      }
      const candidate = reachEightPixels(offered)
      const needed = transparent || hasTransparency(candidate) ? greys : opaque
      const own = shapeScales(reference.width, reference.height, depth)
      const sameDepth = packMasks(own) === packMasks(shapes)
      const verdicts = needed.map((grey) => {
        const pass = passes.find((one) => one.grey === grey) ?? passes[0]
        return pass && sameDepth ? compareKept(pass, candidate, shapes, grey) : stream(reference, candidate, own, grey)
      })
      return verdicts.reduce(worseOf)
    }

    const free = (): void => {
      for (const { kernel } of passes.splice(0)) pool.give(kernel)
    }
    const bytes = passes.reduce((sum, { kernel }) => sum + kernel.bytes(), 0)
    return {
      kept,
      bytes,
      examine,
      free,
      [Symbol.dispose]: free,
      compare: (candidate, depth) => examine(candidate, depth).score,
    }
  }

  return { prepare }
}
