import type { AnyRaster } from '../../core/image.ts'
import type { Density } from '../../core/units.ts'
import { compileKernel } from '../../support/compile-kernel.ts'
import type { ArtefactsExports } from './artefacts-exports.ts'

/** Numbers of each tile, of any kind. */
export const VALUES_PER_TILE = 3
/** A sample value of 1 in the sums of flat tiles. */
export const BRIGHT_ONE = 2 ** 14

/** One instance of the kernel, with its own memory. */
export interface PlacesKernel {
  /** Bytes of its memory now: WASM memory grows and never shrinks. */
  bytes(): number
  /** False when memory does not suffice. */
  configure(image: AnyRaster, density: Density): boolean
  /** Takes a whole image of the size laid out for; `grey` 0..1 is what alpha is composited on, below 0 it is ignored. */
  feed(side: 'reference' | 'candidate', image: AnyRaster, grey: number): void
  /** Of what was fed last, copied: tiles in rows > sums of linear red, green and blue. */
  colours(tiles: number): Float64Array
  /** Of the candidate, copied: tiles in rows > sum of squared steps, sums of steps across and down. */
  steps(tiles: number): Float64Array
  /** Of the reference: tiles of 4 px as seen in rows, 1 where it is plain; and the sums of red, green and blue, `BRIGHT_ONE` for 1. Views that last until another reference is fed. */
  plain(tiles: number): { readonly marks: Uint8Array; readonly sums: Uint32Array }
  /** The same sums of the candidate: a view that lasts until it is fed again. */
  shownInPlain(tiles: number): Uint32Array
}

const wrap = (kernel: ArtefactsExports): PlacesKernel => {
  const rowsAtOnce = kernel.rowsAtOnce()
  const doublesAt = (address: number, tiles: number): Float64Array =>
    new Float64Array(kernel.memory.buffer, address >>> 0, tiles * VALUES_PER_TILE).slice()
  const wordsAt = (address: number, tiles: number): Uint32Array =>
    new Uint32Array(kernel.memory.buffer, address >>> 0, tiles * VALUES_PER_TILE)
  const feed = (side: 'reference' | 'candidate', { data, width, height, channels }: AnyRaster, grey: number): void => {
    const staging = new Uint8Array(kernel.memory.buffer, kernel.stagingAddress() >>> 0)
    const take = side === 'reference' ? kernel.feedReference : kernel.feedCandidate
    const stride = width * channels
    kernel.restart()
    for (let from = 0; from < height; from += rowsAtOnce) {
      const count = Math.min(rowsAtOnce, height - from)
      staging.set(data.subarray(from * stride, (from + count) * stride))
      take(count, channels, grey)
    }
  }
  return {
    bytes: () => kernel.memory.buffer.byteLength,
    configure: ({ width, height }, density) => kernel.configure(width, height, density) !== 0,
    feed,
    colours: (tiles) => doublesAt(kernel.coloursAddress(), tiles),
    steps: (tiles) => doublesAt(kernel.stepsAddress(), tiles),
    plain: (tiles) => ({
      marks: new Uint8Array(kernel.memory.buffer, kernel.plainMarksAddress() >>> 0, tiles),
      sums: wordsAt(kernel.plainWasAddress(), tiles),
    }),
    shownInPlain: (tiles) => wordsAt(kernel.plainShownAddress(), tiles),
  }
}

/** Both src/metric/artefacts and dist/metric/artefacts lie three folders below the package's root. */
const WASM = new URL('../../../kernels/artefacts/artefacts.wasm', import.meta.url)

/** Compiles the kernel (`npm run kernels` builds it) and returns what makes instances of it. */
export const loadPlaces = (): (() => PlacesKernel) => {
  const module = compileKernel(WASM)
  return () => wrap(new WebAssembly.Instance(module).exports as unknown as ArtefactsExports)
}
