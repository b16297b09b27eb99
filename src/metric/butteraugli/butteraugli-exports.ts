/** Exports of kernels/butteraugli, written by `npm run kernels`. Addresses are bytes in its memory. */
export interface ButteraugliExports {
  readonly memory: WebAssembly.Memory
  configure(width: number, height: number, kept: boolean | number, wholeMap: boolean | number): number
  stagingAddress(): number
  rowsAtOnce(): number
  tilesAddress(): number
  mapAddress(): number
  mapStride(): number
  restartReference(): void
  restartCandidate(overlay: boolean | number): void
  feedReference(rows: number, channels: number, grey: number): void
  feedCandidate(rows: number, channels: number, grey: number): void
}
