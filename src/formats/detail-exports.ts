/** Exports of kernels/detail, written by `npm run kernels`. Addresses are bytes in its memory. */
export interface DetailExports {
  readonly memory: WebAssembly.Memory
  configure(wide: number, rows: number, samples: number): number
  samplesAddress(): number
  soften(rows: number, highest: number): void
}
