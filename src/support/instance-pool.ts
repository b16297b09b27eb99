import { compileKernel } from './compile-kernel.ts'
import { type KernelPool, kernelPool } from './kernel-pool.ts'
import { lazily } from './lazily.ts'

/** An instance of a kernel, for one use at a time. */
export interface KernelInstance<Exports> {
  readonly exports: Exports
  /** Bytes of its memory. */
  bytes(): number
}

interface PoolSettings<Exports> {
  /** Gives the exports of a new instance their types; without it they are used as they are. */
  readonly bind?: (exports: WebAssembly.Exports) => Exports
  /** Bytes that instances at rest hold at most. */
  readonly idleBytes?: number
}

/** Opens a pool of instances of a kernel at the first call, which throws where the kernel was not built. */
export const instancePool = <Exports extends { readonly memory: WebAssembly.Memory }>(
  wasm: URL,
  { bind = (exports) => exports as unknown as Exports, idleBytes }: PoolSettings<Exports> = {},
): (() => KernelPool<KernelInstance<Exports>>) =>
  lazily(() => {
    const module = compileKernel(wasm)
    const create = (): KernelInstance<Exports> => {
      const exports = bind(new WebAssembly.Instance(module, { env: {} }).exports)
      return { exports, bytes: () => exports.memory.buffer.byteLength }
    }
    return kernelPool(create, idleBytes)
  })
