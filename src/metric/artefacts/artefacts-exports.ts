/** Exports of kernels/artefacts, written by `npm run kernels`. Addresses are bytes in its memory. */
export interface ArtefactsExports {
  readonly memory: WebAssembly.Memory
  configure(wide: number, high: number, density: number): number
  stagingAddress(): number
  rowsAtOnce(): number
  coloursAddress(): number
  keepColours(): void
  mostShiftsAddress(): number
  stepsAddress(): number
  plainMarksAddress(): number
  plainWasAddress(): number
  plainShownAddress(): number
  countBleeding(first: number, beyond: number): number
  farthestBleeding(): number
  farthestTileOfBleeding(): number
  restart(): void
  feedReference(rows: number, channels: number, grey: number): void
  feedCandidate(rows: number, channels: number, grey: number): void
}
