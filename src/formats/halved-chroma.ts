/** Pixels for encoders that halve the chroma: they look like the given ones once that has happened (`kernels/chroma`). */
import type { Raster } from '../core/image.ts'
import { compileKernel } from '../support/compile-kernel.ts'
import { kernelPool } from '../support/kernel-pool.ts'
import { lazily } from '../support/lazily.ts'
import type { ChromaExports } from './chroma-exports.ts'

/** Rows that are corrected at once: 3 MB of a row of 8,000 px. */
const STRIP_ROWS = 128
/** Rows around them that they depend on: the filter that enlarges chroma reaches one row of blocks. */
const CONTEXT_ROWS = 2

/** Both src/formats and dist/formats lie two folders below the package's root. */
const WASM = new URL('../../kernels/chroma/chroma.wasm', import.meta.url)
const openPool = lazily(() => {
  const module = compileKernel(WASM)
  const create = () => {
    const exports = new WebAssembly.Instance(module, { env: {} }).exports as unknown as ChromaExports
    return { exports, bytes: () => exports.memory.buffer.byteLength }
  }
  return kernelPool(create)
})

/** The samples of the rows from `top` to before `end`, corrected. */
const correctRows = (
  { exports }: { readonly exports: ChromaExports },
  { data, width, height, channels }: Raster,
  { top, end }: { readonly top: number; readonly end: number },
): Uint8Array => {
  const stride = width * channels
  const first = Math.max(0, top - CONTEXT_ROWS)
  const last = Math.min(height, end + CONTEXT_ROWS)
  new Uint8Array(exports.memory.buffer).set(data.subarray(first * stride, last * stride), exports.inputAddress() >>> 0)
  exports.correct(last - first)
  const from = (exports.outputAddress() >>> 0) + (top - first) * stride
  return new Uint8Array(exports.memory.buffer, from, (end - top) * stride)
}

const correct = (pixels: Raster): Raster => {
  const { data, width, height, channels } = pixels
  const pool = openPool()
  const kernel = pool.take()
  const rows = Math.min(height, STRIP_ROWS + 2 * CONTEXT_ROWS)
  if (!kernel.exports.configure(width, rows, channels)) throw new RangeError(`no memory for rows of ${width} px`)
  const result = new Uint8Array(data.length)
  for (let top = 0; top < height; top += STRIP_ROWS) {
    const end = Math.min(height, top + STRIP_ROWS)
    result.set(correctRows(kernel, pixels, { top, end }), top * width * channels)
  }
  pool.give(kernel)
  return { data: result, width, height, channels }
}

/** Corrected pixels by the given ones: every trial of a search encodes the same. */
const corrected = new WeakMap<Raster, Raster>()

/** Frees the corrected copy of these pixels, as large as they are: the next encode corrects them again. */
export const forgetHalvedChroma = (pixels: Raster): void => void corrected.delete(pixels)

/**
 * Pixels whose 4:2:0 conversion (BT.601) shows each pixel's luminance, and each block's mean colour, nearer to the given ones. Throws a RangeError where
 * memory does not suffice.
 */
export const forHalvedChroma = (pixels: Raster): Raster => {
  const known = corrected.get(pixels) ?? correct(pixels)
  corrected.set(pixels, known)
  return known
}
