import { compileKernel } from '../../../support/compile-kernel.ts'
import { kernelPool } from '../../../support/kernel-pool.ts'
import { lazily } from '../../../support/lazily.ts'
import type { GifExports } from './gif-exports.ts'

/** An instance for one animation at a time. */
export interface GifKernel {
  readonly exports: GifExports
  bytes(): number
}

/** Both src/motion/gif/coder and dist/motion/gif/coder lie four folders below the package's root. */
const WASM = new URL('../../../../kernels/gif/gif.wasm', import.meta.url)
const openPool = lazily(() => {
  const module = compileKernel(WASM)
  const create = (): GifKernel => {
    const exports = new WebAssembly.Instance(module, { env: {} }).exports as unknown as GifExports
    return { exports, bytes: () => exports.memory.buffer.byteLength }
  }
  return kernelPool(create)
})

/** An instance that may still hold another animation, until it is given back. Throws where the kernel was not built. */
export const takeKernel = (): GifKernel => openPool().take()
export const giveKernel = (kernel: GifKernel): void => openPool().give(kernel)
