import type { AnyRaster } from '../../core/image.ts'
import type { KernelPool } from '../../support/kernel-pool.ts'
import { bandsOf, placeTiles } from './bands.ts'
import type { ButteraugliKernel } from './kernel.ts'
import { BUTTERAUGLI_TILE, type ButteraugliScores, scoresFromTiles, tileCount } from './norms.ts'

type Pool = KernelPool<ButteraugliKernel>

/** A kernel with room for the reference as it looks on a grey (below 0: alpha ignored). */
export interface KeptReference {
  readonly reference: AnyRaster
  readonly grey: number
  readonly kernel: ButteraugliKernel
  /** Whether the kernel holds it: from the first comparison on. */
  held: boolean
}

const begin = (pool: Pool, { width, height }: AnyRaster, layout: { kept: boolean; wholeMap: boolean }) => {
  const kernel = pool.take()
  if (kernel.configure({ width, height, ...layout })) return kernel
  pool.give(kernel)
  return undefined
}

interface Stretch {
  readonly from: number
  readonly count: number
}

/** An image's rows in as many at once as the kernel takes. */
function* stretches(kernel: ButteraugliKernel, height: number): Generator<Stretch> {
  for (let from = 0; from < height; from += kernel.rowsAtOnce) {
    yield { from, count: Math.min(kernel.rowsAtOnce, height - from) }
  }
}

const readScores = (kernel: ButteraugliKernel, { width, height }: AnyRaster): ButteraugliScores =>
  scoresFromTiles(kernel.tiles(tileCount(width, height)), width, height)

/** Makes room for the reference's side on each grey; nothing when memory does not suffice for all. */
export const keepOnGreys = (pool: Pool, reference: AnyRaster, greys: readonly number[]): KeptReference[] => {
  const kept: KeptReference[] = []
  for (const grey of greys) {
    const kernel = begin(pool, reference, { kept: true, wholeMap: greys.length > 1 })
    if (!kernel) {
      for (const one of kept) pool.give(one.kernel)
      return []
    }
    kept.push({ reference, grey, kernel, held: false })
  }
  return kept
}

/**
 * Compares on every grey that is kept; at each pixel the larger distance counts, as in the reference tool. The first comparison works out the
 * reference's side too, a few rows ahead of the candidate's, which finds them in the processor's cache.
 */
export const compareOnKept = (kept: readonly KeptReference[], candidate: AnyRaster): ButteraugliScores => {
  let earlier: ButteraugliKernel | undefined
  for (const one of kept) {
    const { reference, grey, kernel, held } = one
    if (earlier) kernel.map().set(earlier.map())
    kernel.restartCandidate(earlier !== undefined)
    for (const rows of stretches(kernel, candidate.height)) {
      if (!held) kernel.feedReference({ image: reference, grey, ...rows })
      kernel.feedCandidate({ image: candidate, grey, ...rows })
    }
    one.held = true
    earlier = kernel
  }
  return readScores(earlier!, candidate)
}

/** Two rasters of one size, and how many columns are compared at once. */
export interface ComparedPair {
  readonly reference: AnyRaster
  readonly candidate: AnyRaster
  readonly columns: number
}

/** Compares with nothing kept: band by band a few rows of each side in turns. Throws a RangeError when even rows do not fit memory. */
export const compareRowByRow = (
  pool: Pool,
  { reference, candidate, columns }: ComparedPair,
  greys: readonly number[],
): ButteraugliScores => {
  const { width, height } = reference
  const tiles = new Float64Array(tileCount(width, height) * BUTTERAUGLI_TILE.norms)
  for (const band of bandsOf(width, columns)) {
    const kernel = begin(pool, { ...reference, width: band.held }, { kept: false, wholeMap: greys.length > 1 })
    if (!kernel) throw new RangeError(`no memory to compare ${width} x ${height} px`)
    greys.forEach((grey, run) => {
      kernel.restartReference()
      kernel.restartCandidate(run > 0)
      for (const rows of stretches(kernel, height)) {
        kernel.feedReference({ image: reference, grey, columns: band, ...rows })
        kernel.feedCandidate({ image: candidate, grey, columns: band, ...rows })
      }
    })
    placeTiles(tiles, width, band, kernel.tiles(tileCount(band.held, height)))
    pool.give(kernel)
  }
  return scoresFromTiles(tiles, width, height)
}
