import { feedRows, loadKernel, type Rows } from '../row-kernel.ts'
import type { ButteraugliExports } from './butteraugli-exports.ts'

/** Memory layout: sides of at least 8 px; whether the whole reference and the map of distances are kept. */
export interface ButteraugliLayout {
  readonly width: number
  readonly height: number
  readonly kept: boolean
  readonly wholeMap: boolean
}

/** One instance of the kernel, with its own memory. */
export interface ButteraugliKernel {
  readonly rowsAtOnce: number
  /** Bytes of its memory now: WASM memory grows and never shrinks. */
  bytes(): number
  /** False when memory does not suffice. */
  configure(layout: ButteraugliLayout): boolean
  restartReference(): void
  /** With `overlay` the whole map's distances stay, and the larger of old and new ones count. */
  restartCandidate(overlay: boolean): void
  feedReference(rows: Rows): void
  feedCandidate(rows: Rows): void
  /** The pooled powers so far, copied: tiles in rows > sums of the 3rd, 6th and 12th powers, and the maximum. */
  tiles(count: number): Float64Array
  /** The whole map: a view that lasts until memory grows. Rows are `mapStride` floats long. */
  map(): Float32Array
  mapStride(): number
}

const wrap = (kernel: ButteraugliExports): ButteraugliKernel => {
  let height = 0
  return {
    rowsAtOnce: kernel.rowsAtOnce(),
    bytes: () => kernel.memory.buffer.byteLength,
    configure: (layout) => {
      height = layout.height
      return kernel.configure(layout.width, height, layout.kept ? 1 : 0, layout.wholeMap ? 1 : 0) !== 0
    },
    restartReference: () => kernel.restartReference(),
    restartCandidate: (overlay) => kernel.restartCandidate(overlay ? 1 : 0),
    feedReference: (rows) => feedRows(kernel, 'reference', rows),
    feedCandidate: (rows) => feedRows(kernel, 'candidate', rows),
    tiles: (count) => new Float64Array(kernel.memory.buffer, kernel.tilesAddress() >>> 0, count * 4).slice(),
    map: () => new Float32Array(kernel.memory.buffer, kernel.mapAddress() >>> 0, (kernel.mapStride() >>> 2) * height),
    mapStride: () => kernel.mapStride() >>> 2,
  }
}

/** Compiles the kernel and returns what makes instances of it. */
export const loadButteraugli = () => loadKernel<ButteraugliExports, ButteraugliKernel>('butteraugli', wrap)
