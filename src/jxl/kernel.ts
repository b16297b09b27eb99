import { compileKernel } from '../support/compile-kernel.ts'
import { withBlocks } from '../support/kernel-blocks.ts'
import { kernelPool } from '../support/kernel-pool.ts'
import { lazily } from '../support/lazily.ts'
import { JXL_LAYOUTS, type JxlExports } from './jxl-exports.ts'

/** Exports of kernels/jxl. */
export type JxlKernel = JxlExports

/** Both src/jxl and dist/jxl lie two folders below the package's root. */
const WASM = new URL('../../kernels/jxl/jxl.wasm', import.meta.url)
const openPool = lazily(() => {
  const module = compileKernel(WASM)
  const create = () => {
    const kernel = withBlocks<JxlKernel>(new WebAssembly.Instance(module, { env: {} }).exports, JXL_LAYOUTS)
    return { kernel, bytes: () => kernel.memory.buffer.byteLength }
  }
  // Fresh memory costs time: an instance for six megapixels at 4:4:4 is kept.
  return kernelPool(create, 128 * 2 ** 20)
})

/**
 * Lends an instance to `use`, whose allocations are forgotten afterwards; what lies there stays until the next use. Throws when the kernel was not
 * built.
 */
export const withKernel = <Result>(use: (kernel: JxlKernel) => Result): Result => {
  const pool = openPool()
  const lent = pool.take()
  const before = lent.kernel.mark()
  const result = use(lent.kernel)
  lent.kernel.release(before)
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
