import type { AnyRaster } from '../../core/image.ts'
import { compileKernel } from '../../support/compile-kernel.ts'
import type { Ssimulacra2Exports } from './ssimulacra2-exports.ts'

/** Which of the kernel's two sides rows are fed to. */
export type Side = 'reference' | 'candidate'

/** Some rows of an image for one side; `grey` 0..1 is what alpha is composited on, below 0 it is ignored. */
export interface Rows {
  readonly image: AnyRaster
  readonly from: number
  readonly count: number
  readonly grey: number
}

/** One instance of the kernel, with its own memory. */
export interface Ssimulacra2Kernel {
  readonly rowsAtOnce: number
  /** Bytes of its memory now: WASM memory grows and never shrinks. */
  bytes(): number
  configure(layout: { width: number; height: number; masks: number; kept: boolean }): boolean
  restart(side: Side): void
  feed(side: Side, rows: Rows): void
  /** The sums so far, copied: regions in rows > 6 scales > 3 channels > 6 maps. */
  sums(length: number): Float64Array
}

const wrap = (kernel: Ssimulacra2Exports): Ssimulacra2Kernel => {
  const stage = ({ image, from, count }: Rows): void => {
    const stride = image.width * image.channels
    const rows = image.data.subarray(from * stride, (from + count) * stride)
    new Uint8Array(kernel.memory.buffer).set(rows, kernel.stagingAddress() >>> 0)
  }
  return {
    rowsAtOnce: kernel.rowsAtOnce(),
    bytes: () => kernel.memory.buffer.byteLength,
    configure: ({ width, height, masks, kept }) => kernel.configure(width, height, masks, kept ? 1 : 0) !== 0,
    restart: (side) => (side === 'reference' ? kernel.restartReference() : kernel.restartCandidate()),
    feed: (side, rows) => {
      stage(rows)
      const take = side === 'reference' ? kernel.feedReference : kernel.feedCandidate
      take(rows.count, rows.image.channels, rows.grey)
    },
    sums: (length) => new Float64Array(kernel.memory.buffer, kernel.sumsAddress() >>> 0, length).slice(),
  }
}

/** Both src/metric/ssimulacra2 and dist/metric/ssimulacra2 lie three folders below the package's root. */
const WASM = new URL('../../../kernels/ssimulacra2/ssimulacra2.wasm', import.meta.url)

/** Compiles the metric's kernel (`npm run kernels` builds it) and returns what makes instances of it. */
export const loadKernel = (): (() => Ssimulacra2Kernel) => {
  const module = compileKernel(WASM)
  return () => wrap(new WebAssembly.Instance(module).exports as unknown as Ssimulacra2Exports)
}
