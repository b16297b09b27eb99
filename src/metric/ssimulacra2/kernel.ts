import { feedRows, loadKernel, type Rows, type Side } from '../row-kernel.ts'
import type { Ssimulacra2Exports } from './ssimulacra2-exports.ts'

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

const wrap = (kernel: Ssimulacra2Exports): Ssimulacra2Kernel => ({
  rowsAtOnce: kernel.rowsAtOnce(),
  bytes: () => kernel.memory.buffer.byteLength,
  configure: ({ width, height, masks, kept }) => kernel.configure(width, height, masks, kept ? 1 : 0) !== 0,
  restart: (side) => (side === 'reference' ? kernel.restartReference() : kernel.restartCandidate()),
  feed: (side, rows) => feedRows(kernel, side, rows),
  sums: (length) => new Float64Array(kernel.memory.buffer, kernel.sumsAddress() >>> 0, length).slice(),
})

/** Compiles the kernel and returns what makes instances of it. */
export const loadSsimulacra2 = () => loadKernel<Ssimulacra2Exports, Ssimulacra2Kernel>('ssimulacra2', wrap)
