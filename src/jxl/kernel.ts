import { compileKernel } from '../core/compile-kernel.ts'
import { lazily } from '../core/lazily.ts'

/** Exports of kernels/jxl/index.ts; addresses are bytes in its memory. */
export interface JxlKernel {
  readonly memory: WebAssembly.Memory
  alloc(bytes: number): number
  mark(): number
  release(to: number): void
  clear(at: number, bytes: number): void
  countSymbols(tokens: number, length: number, counts: number, size: number): number
  encodeTokens(
    tokens: number,
    length: number,
    contextMap: number,
    logSize: number,
    frequencies: number,
    starts: number,
    slots: number,
    renewals: number,
    out: number,
  ): number
  encodedBits(): number
  clusterHistograms(clustering: number): void
  predictorScratch(width: number): number
  predictWeighted(
    samples: number,
    width: number,
    height: number,
    predicted: number,
    largest: number,
    scratch: number,
  ): void
  hfTokens(group: number, out: number): number
  countCoefficients(coefficients: number, blocks: number, counts: number): void
  inverse(
    coefs: number,
    stride: number,
    wide: number,
    high: number,
    steps: number,
    one: number,
    plane: number,
    pitch: number,
    block: number,
  ): void
  joinColour(
    luma: number,
    cb: number,
    cr: number,
    yPitch: number,
    cPitch: number,
    h: number,
    v: number,
    width: number,
    height: number,
    out: number,
    scratch: number,
  ): void
  joinGrey(luma: number, pitch: number, width: number, height: number, out: number): void
}

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
  const kernel = idle ?? (new WebAssembly.Instance(openModule(), { env: {} }).exports as unknown as JxlKernel)
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
