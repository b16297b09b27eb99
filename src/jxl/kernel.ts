import { compileKernel } from '../support/compile-kernel.ts'
import { withBlocks } from '../support/kernel-blocks.ts'
import { lazily } from '../support/lazily.ts'
import { JXL_LAYOUTS, type JxlExports } from './jxl-exports.ts'

/** Exports of kernels/jxl. */
export type JxlKernel = JxlExports

/** Both src/jxl and dist/jxl lie two folders below the package's root. */
const WASM = new URL('../../kernels/jxl/jxl.wasm', import.meta.url)
const openModule = lazily(() => compileKernel(WASM))

/** An instance that waits for the next image, unless it has grown beyond this many bytes: fresh memory costs time. */
const MAX_IDLE_BYTES = 128 * 2 ** 20
let idle: JxlKernel | undefined

/**
 * Lends an instance to `use`, whose allocations are forgotten afterwards; what lies there stays until the next use. Throws when the kernel was not
 * built.
 */
export const withKernel = <Result>(use: (kernel: JxlKernel) => Result): Result => {
  const kernel = idle ?? withBlocks<JxlKernel>(new WebAssembly.Instance(openModule(), { env: {} }).exports, JXL_LAYOUTS)
  idle = undefined
  const before = kernel.mark()
  const result = use(kernel)
  kernel.release(before)
  if (kernel.memory.buffer.byteLength <= MAX_IDLE_BYTES) idle = kernel
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
