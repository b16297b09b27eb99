import type { AnyRaster } from '../../core/image.ts'
import { compileKernel } from '../../support/compile-kernel.ts'
import type { ButteraugliExports } from './butteraugli-exports.ts'

/** Memory layout: sides of at least 8 px; whether the whole reference and the map of distances are kept. */
export interface ButteraugliLayout {
  readonly width: number
  readonly height: number
  readonly kept: boolean
  readonly wholeMap: boolean
}

/** Some rows of an image, of all columns or of `held` from `left` on; `grey` 0..1 is what alpha is composited on, below 0 it is ignored. */
export interface RowsOnGrey {
  readonly image: AnyRaster
  readonly from: number
  readonly count: number
  readonly grey: number
  readonly columns?: { readonly left: number; readonly held: number }
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
  feedReference(rows: RowsOnGrey): void
  feedCandidate(rows: RowsOnGrey): void
  /** The pooled powers so far, copied: tiles in rows > sums of the 3rd, 6th and 12th powers, and the maximum. */
  tiles(count: number): Float64Array
  /** The whole map: a view that lasts until memory grows. Rows are `mapStride` floats long. */
  map(): Float32Array
  mapStride(): number
}

const wrap = (kernel: ButteraugliExports): ButteraugliKernel => {
  let height = 0
  const stage = ({ image, from, count, columns = { left: 0, held: image.width } }: RowsOnGrey): void => {
    const { data, width, channels } = image
    const row = columns.held * channels
    const staging = new Uint8Array(kernel.memory.buffer, kernel.stagingAddress() >>> 0)
    for (let y = 0; y < count; y++) {
      const at = ((from + y) * width + columns.left) * channels
      staging.set(data.subarray(at, at + row), y * row)
    }
  }
  return {
    rowsAtOnce: kernel.rowsAtOnce(),
    bytes: () => kernel.memory.buffer.byteLength,
    configure: (layout) => {
      height = layout.height
      return kernel.configure(layout.width, height, layout.kept ? 1 : 0, layout.wholeMap ? 1 : 0) !== 0
    },
    restartReference: () => kernel.restartReference(),
    restartCandidate: (overlay) => kernel.restartCandidate(overlay ? 1 : 0),
    feedReference: (rows) => {
      stage(rows)
      kernel.feedReference(rows.count, rows.image.channels, rows.grey)
    },
    feedCandidate: (rows) => {
      stage(rows)
      kernel.feedCandidate(rows.count, rows.image.channels, rows.grey)
    },
    tiles: (count) => new Float64Array(kernel.memory.buffer, kernel.tilesAddress() >>> 0, count * 4).slice(),
    map: () => new Float32Array(kernel.memory.buffer, kernel.mapAddress() >>> 0, (kernel.mapStride() >>> 2) * height),
    mapStride: () => kernel.mapStride() >>> 2,
  }
}

/** Both src/metric/butteraugli and dist/metric/butteraugli lie three folders below the package's root. */
const WASM = new URL('../../../kernels/butteraugli/butteraugli.wasm', import.meta.url)

/** Compiles the kernel (`npm run kernels` builds it) and returns what makes instances of it. */
export const loadButteraugli = (): (() => ButteraugliKernel) => {
  const module = compileKernel(WASM)
  return () => wrap(new WebAssembly.Instance(module).exports as unknown as ButteraugliExports)
}
