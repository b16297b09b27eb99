import { compileKernel } from '../support/compile-kernel.ts'
import { withBlocks } from '../support/kernel-blocks.ts'
import { JPEG_LAYOUTS, type JpegExports } from './jpeg-exports.ts'

/** Exports of `kernels/jpeg`. */
export type Kernel = JpegExports

let module: WebAssembly.Module | undefined

/** A fresh instance of the JPEG kernel with a memory of its own; dropping it frees everything. Throws when it was not built. */
export const openKernel = (): Kernel => {
  module ??= compileKernel(new URL('../../kernels/jpeg/jpeg.wasm', import.meta.url))
  const instance = new WebAssembly.Instance(module, {
    env: {
      abort: () => {
        throw new Error('the JPEG kernel aborted')
      },
    },
  })
  return withBlocks(instance.exports, JPEG_LAYOUTS)
}

/** An instance, and bytes outside its memory for the pixels that are shown of it. */
interface Instance {
  readonly kernel: Kernel
  room: Uint8Array
}

/** A kernel lent to one image. */
export interface LentKernel {
  readonly kernel: Kernel
  /** A buffer of `bytes` for pixels, not cleared. The next call returns the same buffer. */
  room(bytes: number): Uint8Array
  giveBack(): void
}

/** Instances for the next images: the first use of memory costs up to ten milliseconds a megapixel. */
const idle: Instance[] = []
/** Instances that wait for the next image. */
const IDLE = {
  /** Instances. */
  max: 2,
  /** Bytes beyond which one is dropped. */
  maxBytes: 96 * 2 ** 20,
} as const

/** Drops them. Call this before a step that needs hundreds of megabytes. */
export const dropIdleJpegKernels = (): void => {
  idle.length = 0
}

const bytesOf = ({ kernel, room }: Instance): number => kernel.memory.buffer.byteLength + room.length

/** As `openKernel`, or one whose memory still holds another image's numbers; `giveBack` ends its use. */
export const borrowKernel = (): LentKernel => {
  const instance = idle.pop() ?? { kernel: openKernel(), room: new Uint8Array(0) }
  const { kernel } = instance
  const start = kernel.mark()
  let lent = true
  const room = (bytes: number): Uint8Array => {
    if (instance.room.length < bytes) instance.room = new Uint8Array(bytes)
    return instance.room.subarray(0, bytes)
  }
  const giveBack = (): void => {
    if (!lent || idle.length >= IDLE.max || bytesOf(instance) > IDLE.maxBytes) return
    lent = false
    kernel.release(start)
    idle.push(instance)
  }
  return { kernel, room, giveBack }
}

/** Allocates in the kernel's memory; throws a RangeError when its 4 GB are used up. */
export const allocate = (kernel: Kernel, bytes: number): number => {
  const at = bytes < 2 ** 32 ? kernel.alloc(bytes) : 0
  if (at === 0) throw new RangeError(`the JPEG kernel has no ${bytes} bytes left`)
  return at >>> 0
}

/** Views of the kernel's memory; growing the memory detaches them, so take them fresh after every allocation. */
export const bytesAt = (kernel: Kernel, at: number, length: number): Uint8Array =>
  new Uint8Array(kernel.memory.buffer, at, length)

/** As `bytesAt`, of 32-bit floats. */
export const floatsAt = (kernel: Kernel, at: number, length: number): Float32Array =>
  new Float32Array(kernel.memory.buffer, at, length)

/** As `bytesAt`, of 32-bit numbers. */
export const wordsAt = (kernel: Kernel, at: number, length: number): Uint32Array =>
  new Uint32Array(kernel.memory.buffer, at, length)

/** Bytes of what the kernel keeps in its memory. */
export const KERNEL_BYTES = {
  /** 64 coefficients of 16 bits. */
  block: 128,
  /** The marks of a block (kernels/jpeg/components.ts). */
  marks: 8,
  /** 64 values of 32 bits, before quantising. */
  transformedBlock: 256,
  /** 256 counts of 32 bits. */
  histogram: 1024,
  /** A record of `kernels/jpeg/dering.ts`. */
  deringRecord: 32,
} as const
