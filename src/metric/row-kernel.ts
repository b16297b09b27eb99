/** Loads the kernels of all metrics. Also feeds them: rows of an image reach them through a staging buffer. */
import type { AnyRaster } from '../core/image.ts'
import { compileKernel } from '../support/compile-kernel.ts'

/** Which of a kernel's two sides rows are fed to. */
export type Side = 'reference' | 'candidate'

/** Some rows of an image, of all columns or of `held` from `left` on; `grey` 0..1 is what alpha is composited on, below 0 it is ignored. */
export interface Rows {
  readonly image: AnyRaster
  readonly from: number
  readonly count: number
  readonly grey: number
  readonly columns?: { readonly left: number; readonly held: number }
}

/** The exports that every such kernel has. */
interface RowExports {
  readonly memory: WebAssembly.Memory
  readonly stagingAddress: () => number
  readonly feedReference: (count: number, channels: number, grey: number) => void
  readonly feedCandidate: (count: number, channels: number, grey: number) => void
}

/** Copies rows to the staging buffer and feeds them to one side. `count` is at most the kernel's `rowsAtOnce`. */
export const feedRows = (kernel: RowExports, side: Side, { image, from, count, grey, columns }: Rows): void => {
  const { data, width, channels } = image
  const { left, held } = columns ?? { left: 0, held: width }
  const staging = new Uint8Array(kernel.memory.buffer, kernel.stagingAddress() >>> 0)
  const pieces = held === width ? 1 : count
  const length = ((held * count) / pieces) * channels
  for (let piece = 0; piece < pieces; piece++) {
    const at = ((from + piece) * width + left) * channels
    staging.set(data.subarray(at, at + length), piece * length)
  }
  const feed = side === 'reference' ? kernel.feedReference : kernel.feedCandidate
  feed(count, channels, grey)
}

/** Compiles a metric's kernel (`npm run kernels` builds it) and returns what makes instances of it. */
export const loadKernel = <Exports, Kernel>(name: string, wrap: (exports: Exports) => Kernel): (() => Kernel) => {
  // Both src/metric and dist/metric lie two folders below the package's root.
  const module = compileKernel(new URL(`../../kernels/${name}/${name}.wasm`, import.meta.url))
  return () => wrap(new WebAssembly.Instance(module).exports as Exports)
}
