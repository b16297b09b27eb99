/** Exports of kernels/chroma, written by `npm run kernels`. Addresses are bytes in its memory. */
export interface ChromaExports {
  readonly memory: WebAssembly.Memory
  configure(wide: number, rows: number, samples: number): number
  inputAddress(): number
  outputAddress(): number
  correct(rows: number): void
}
