import { instancePool, type KernelInstance } from '../../../support/instance-pool.ts'
import type { GifExports } from './gif-exports.ts'

/** An instance for one animation at a time. */
export type GifKernel = KernelInstance<GifExports>

/** Both src/motion/gif/coder and dist/motion/gif/coder lie four folders below the package's root. */
const WASM = new URL('../../../../kernels/gif/gif.wasm', import.meta.url)
const openPool = instancePool<GifExports>(WASM)

/** An instance that may still hold another animation, until it is given back. Throws where the kernel was not built. */
export const takeKernel = (): GifKernel => openPool().take()
export const giveKernel = (kernel: GifKernel): void => openPool().give(kernel)
