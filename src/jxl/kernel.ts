import { instancePool } from '../support/instance-pool.ts'
import { withBlocks } from '../support/kernel-blocks.ts'
import { JXL_LAYOUTS, type JxlExports } from './jxl-exports.ts'

/** Exports of kernels/jxl. */
export type JxlKernel = JxlExports

/** Both src/jxl and dist/jxl lie two folders below the package's root. */
const WASM = new URL('../../kernels/jxl/jxl.wasm', import.meta.url)
const openPool = instancePool<JxlKernel>(WASM, {
  bind: (exports) => withBlocks<JxlKernel>(exports, JXL_LAYOUTS),
  // Fresh memory costs time: an instance for six megapixels at 4:4:4 is kept.
  idleBytes: 128 * 2 ** 20,
})

/**
 * Lends an instance to `use`, whose allocations are forgotten afterwards; what lies there stays until the next use. Throws when the kernel was not
 * built.
 */
export const withKernel = <Result>(use: (kernel: JxlKernel) => Result): Result => {
  const pool = openPool()
  const lent = pool.take()
  const before = lent.exports.mark()
  const result = use(lent.exports)
  lent.exports.release(before)
  pool.give(lent)
  return result
}

/** Allocates bytes in the kernel's memory; throws a RangeError when its 4 GB are used up. */
export const allocateIn = (kernel: JxlKernel, bytes: number): number => {
  const at = bytes < 2 ** 32 ? kernel.alloc(bytes) >>> 0 : 0
  if (at === 0) throw new RangeError(`the JPEG XL kernel has no ${bytes} bytes left`)
  return at
}

/** Copies numbers into the kernel's memory. Returns their address. */
export const place = (
  kernel: JxlKernel,
  values: Uint8Array | Uint16Array | Uint32Array | Int16Array | Int32Array | Float32Array,
) => {
  const at = allocateIn(kernel, values.byteLength)
  const bytes = new Uint8Array(values.buffer, values.byteOffset, values.byteLength)
  new Uint8Array(kernel.memory.buffer, at, values.byteLength).set(bytes)
  return at
}
