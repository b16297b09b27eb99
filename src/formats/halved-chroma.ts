/**
 * Pixels for encoders that halve the chroma: they look like the given ones once that has happened (`kernels/chroma`). Detail that the quantiser
 * hardly shows may be taken away too.
 */
import type { Raster } from '../core/image.ts'
import { instancePool } from '../support/instance-pool.ts'
import type { ChromaExports } from './chroma-exports.ts'
import { DETAIL_BLOCK, openFaintDetail } from './faint-detail.ts'

/** Rows that are corrected at once: 6 MB of a row of 8,000 px. A multiple of `DETAIL_BLOCK`. */
const STRIP_ROWS = 256
/** Rows around them that they depend on: half a block of detail, and one row of the blocks of 2 x 2 px around it. */
const CONTEXT_ROWS = DETAIL_BLOCK

/** Both src/formats and dist/formats lie two folders below the package's root. */
const WASM = new URL('../../kernels/chroma/chroma.wasm', import.meta.url)
const openPool = instancePool<ChromaExports>(WASM)

/** Rows of samples, corrected; valid until the next call. */
const correctRows = (exports: ChromaExports, samples: Uint8Array, stride: number): Uint8Array => {
  new Uint8Array(exports.memory.buffer).set(samples, exports.inputAddress() >>> 0)
  exports.correct(samples.length / stride)
  return new Uint8Array(exports.memory.buffer, exports.outputAddress() >>> 0, samples.length)
}

const prepare = ({ data, width, height, channels }: Raster, faint: number): Raster => {
  const pool = openPool()
  const kernel = pool.take()
  const rows = Math.min(height, STRIP_ROWS + 2 * CONTEXT_ROWS)
  if (!kernel.exports.configure(width, rows, channels)) throw new RangeError(`no memory for rows of ${width} px`)
  using detail = faint > 0 ? openFaintDetail({ width, rows, channels }, faint) : undefined
  const stride = width * channels
  const result = new Uint8Array(data.length)
  for (let top = 0; top < height; top += STRIP_ROWS) {
    const end = Math.min(height, top + STRIP_ROWS)
    const first = Math.max(0, top - CONTEXT_ROWS)
    const samples = data.subarray(first * stride, Math.min(height, end + CONTEXT_ROWS) * stride)
    const corrected = correctRows(kernel.exports, samples, stride)
    const shown = detail?.remove(corrected) ?? corrected
    result.set(shown.subarray((top - first) * stride, (end - first) * stride), top * stride)
  }
  pool.give(kernel)
  return { data: result, width, height, channels }
}

/** Prepared pixels by the given ones: every trial of a search encodes the same. */
const prepared = new WeakMap<Raster, { readonly pixels: Raster; readonly faint: number }>()

/** Frees the prepared copy of these pixels, as large as they are: the next encode prepares them again. */
export const forgetHalvedChroma = (pixels: Raster): void => void prepared.delete(pixels)

/**
 * Pixels whose 4:2:0 conversion (BT.601) shows each pixel's luminance, and each block's mean colour, nearer to the given ones. Luma loses detail up to
 * `faint`, the amplitude of the highest frequency in sample values; 0 keeps all of it. Throws a RangeError where memory does not suffice.
 */
export const forHalvedChroma = (pixels: Raster, faint = 0): Raster => {
  const known = prepared.get(pixels)
  if (known?.faint === faint) return known.pixels
  const halved = prepare(pixels, faint)
  prepared.set(pixels, { pixels: halved, faint })
  return halved
}
