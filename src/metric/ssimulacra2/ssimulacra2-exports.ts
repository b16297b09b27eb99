/** Exports of kernels/ssimulacra2, written by `npm run kernels`. Addresses are bytes in its memory. */
export interface Ssimulacra2Exports {
  readonly memory: WebAssembly.Memory
  configure(width: number, height: number, masks: number, kept: boolean | number): number
  stagingAddress(): number
  rowsAtOnce(): number
  sumsAddress(): number
  restartReference(): void
  restartCandidate(): void
  feedReference(rows: number, channels: number, grey: number): void
  feedCandidate(rows: number, channels: number, grey: number): void
}
