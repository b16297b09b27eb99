/** Takes detail from pixels that a coarse quantiser shows as noise (`kernels/detail`). */
import { instancePool } from '../support/instance-pool.ts'
import type { DetailExports } from './detail-exports.ts'

/** Side of the blocks that are transformed. Two grids of them lie half a block apart, so that a row depends on half a block of rows on both sides. */
export const DETAIL_BLOCK = 8

/** Both src/formats and dist/formats lie two folders below the package's root. */
const WASM = new URL('../../kernels/detail/detail.wasm', import.meta.url)
const openPool = instancePool<DetailExports>(WASM)

/** Strips of an image, one after another. Dispose of it. */
export interface FaintDetail extends Disposable {
  /** Interleaved samples of whole rows, whose first row is a multiple of `DETAIL_BLOCK`, without faint detail; valid until the next call. */
  readonly remove: (rows: Uint8Array) => Uint8Array
}

export interface Strips {
  /** Pixels of a row. */
  readonly width: number
  /** Rows of a strip at most. */
  readonly rows: number
  readonly channels: number
}

/**
 * Opens what removes detail of luma. `highest`: the amplitude in sample values (orthonormal DCT) below which the highest frequency is faint; lower
 * frequencies have lower ones. Throws a RangeError where memory does not suffice.
 */
export const openFaintDetail = ({ width, rows, channels }: Strips, highest: number): FaintDetail => {
  const pool = openPool()
  const kernel = pool.take()
  const { exports } = kernel
  if (!exports.configure(width, rows, channels)) throw new RangeError(`no memory for rows of ${width} px`)
  const remove = (samples: Uint8Array): Uint8Array => {
    const shown = new Uint8Array(exports.memory.buffer, exports.samplesAddress() >>> 0, samples.length)
    shown.set(samples)
    exports.soften(samples.length / (width * channels), highest)
    return shown
  }
  return { remove, [Symbol.dispose]: () => pool.give(kernel) }
}
