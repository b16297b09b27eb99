import type { AnyRaster } from '../../core/image.ts'
import type { Density } from '../../core/units.ts'
import { feedRows, loadKernel, type Side } from '../row-kernel.ts'
import type { ArtefactsExports } from './artefacts-exports.ts'

/** Layout of the results of kernels/artefacts. */
export const ARTEFACT_TILES = {
  /** Numbers of each tile, of any kind. */
  values: 3,
  /** A sample value of 1 in luma. */
  lumaOne: 16,
  /** Bins of the histogram of plain tiles. */
  bleedingBins: 512,
  /** The same per sample value. */
  binsPerUnit: 4,
} as const

/** One instance of the kernel, with its own memory. */
export interface ArtefactsKernel {
  /** Bytes of its memory now: WASM memory grows and never shrinks. */
  bytes(): number
  /** False when memory does not suffice. */
  configure(image: AnyRaster, density: Density): boolean
  /** Takes a whole image of the size laid out for; `grey` 0..1 is what alpha is composited on, below 0 it is ignored. */
  feed(side: Side, image: AnyRaster, grey: number): void
  /** Of what was fed last, copied: tiles in rows > sums of linear red, green and blue. */
  colours(tiles: number): Float64Array
  /** Makes the tile colours of the reference ready, which was fed last. */
  keepColours(): void
  /** Of the candidate, which was fed last: an upper bound of the squared shift (CIEDE2000) of each tile. A view that lasts until it is fed again. */
  mostShifts(tiles: number): Float64Array
  /** Of the candidate, copied: tiles in rows > sum of squared steps, sums of steps across and down. */
  steps(tiles: number): Float64Array
  /** Of the candidate, copied: plain tiles from `first` up to `beyond` by the shift of their chroma, in bins; the largest shift; and its tile. */
  bleeding(
    first: number,
    beyond: number,
  ): { readonly counts: Uint32Array; readonly farthest: number; readonly tile: number }
}

const wrap = (kernel: ArtefactsExports): ArtefactsKernel => {
  const rowsAtOnce = kernel.rowsAtOnce()
  const doublesAt = (address: number, tiles: number): Float64Array =>
    new Float64Array(kernel.memory.buffer, address >>> 0, tiles * ARTEFACT_TILES.values).slice()
  const feed = (side: Side, image: AnyRaster, grey: number): void => {
    kernel.restart()
    for (let from = 0; from < image.height; from += rowsAtOnce)
      feedRows(kernel, side, { image, from, count: Math.min(rowsAtOnce, image.height - from), grey })
  }
  return {
    bytes: () => kernel.memory.buffer.byteLength,
    configure: ({ width, height }, density) => kernel.configure(width, height, density) !== 0,
    feed,
    colours: (tiles) => doublesAt(kernel.coloursAddress(), tiles),
    keepColours: kernel.keepColours,
    mostShifts: (tiles) => new Float64Array(kernel.memory.buffer, kernel.mostShiftsAddress() >>> 0, tiles),
    steps: (tiles) => doublesAt(kernel.stepsAddress(), tiles),
    bleeding: (first, beyond) => {
      const at = kernel.countBleeding(first, beyond) >>> 0
      const counts = new Uint32Array(kernel.memory.buffer, at, ARTEFACT_TILES.bleedingBins).slice()
      return { counts, farthest: kernel.farthestBleeding(), tile: kernel.farthestTileOfBleeding() }
    },
  }
}

/** Compiles the kernel and returns what makes instances of it. */
export const loadArtefacts = () => loadKernel<ArtefactsExports, ArtefactsKernel>('artefacts', wrap)
