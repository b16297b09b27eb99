import type { AnyRaster } from '../../core/image.ts'
import type { KernelPool } from '../../support/kernel-pool.ts'
import type { Ssimulacra2Kernel } from './kernel.ts'
import { packMasks, type ScaleShape } from './scales.ts'
import { type Ssimulacra2Scores, scoresFromSums, sumsLength } from './scores.ts'

/** A kernel with room for the reference as it looks on a grey (below 0: alpha ignored). */
export interface KeptSums {
  readonly grey: number
  readonly kernel: Ssimulacra2Kernel
  /** Whether the kernel holds it: from the first comparison on. */
  held: boolean
}

/** Two rasters of one size, and the scales to compare them at. */
export interface Match {
  readonly reference: AnyRaster
  readonly candidate: AnyRaster
  readonly shapes: readonly ScaleShape[]
}

const begin = (
  pool: KernelPool<Ssimulacra2Kernel>,
  shapes: readonly ScaleShape[],
  kept: boolean,
): Ssimulacra2Kernel | undefined => {
  const kernel = pool.take()
  const { width, height } = shapes[0]!
  if (kernel.configure({ width, height, masks: packMasks(shapes), kept })) return kernel
  pool.give(kernel)
  return undefined
}

interface Stretch {
  readonly from: number
  readonly count: number
}

/** An image's rows in as many at once as the kernel takes. */
function* stretches(kernel: Ssimulacra2Kernel, height: number): Generator<Stretch> {
  for (let from = 0; from < height; from += kernel.rowsAtOnce) {
    yield { from, count: Math.min(kernel.rowsAtOnce, height - from) }
  }
}

const readScores = (kernel: Ssimulacra2Kernel, { candidate, shapes }: Match): Ssimulacra2Scores =>
  scoresFromSums(kernel.sums(sumsLength(candidate.width, candidate.height)), shapes)

/** Makes room for the reference's side on each grey; nothing when memory does not suffice for all. */
export const keepReference = (
  pool: KernelPool<Ssimulacra2Kernel>,
  shapes: readonly ScaleShape[],
  greys: readonly number[],
): KeptSums[] => {
  const kept: KeptSums[] = []
  for (const grey of greys) {
    const kernel = begin(pool, shapes, true)
    if (!kernel) {
      for (const one of kept) pool.give(one.kernel)
      return []
    }
    kept.push({ grey, kernel, held: false })
  }
  return kept
}

/**
 * Scores a candidate on a grey against what a kernel keeps. The first comparison works out the reference's side too, a few rows ahead of the
 * candidate's, which finds them in the processor's cache.
 */
export const compareKept = (kept: KeptSums, match: Match, grey: number): Ssimulacra2Scores => {
  const { kernel, held } = kept
  const { reference, candidate } = match
  kernel.restart('candidate')
  // A first comparison that threw left part of the reference.
  if (!held) kernel.restart('reference')
  for (const rows of stretches(kernel, candidate.height)) {
    if (!held) kernel.feed('reference', { image: reference, grey: kept.grey, ...rows })
    kernel.feed('candidate', { image: candidate, grey, ...rows })
  }
  kept.held = true
  return readScores(kernel, match)
}

/** Scores with nothing kept: a few rows of each side in turns. Throws a RangeError when even rows do not fit memory. */
export const compareInTurns = (pool: KernelPool<Ssimulacra2Kernel>, match: Match, grey: number): Ssimulacra2Scores => {
  const { reference, candidate, shapes } = match
  const kernel = begin(pool, shapes, false)
  if (!kernel) throw new RangeError(`no memory to compare ${reference.width} x ${reference.height} px`)
  for (const rows of stretches(kernel, reference.height)) {
    kernel.feed('reference', { image: reference, grey, ...rows })
    kernel.feed('candidate', { image: candidate, grey, ...rows })
  }
  const scores = readScores(kernel, match)
  pool.give(kernel)
  return scores
}
