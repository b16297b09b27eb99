/** Exports of kernels/deflate, written by `npm run kernels`. Addresses are bytes in its memory. */
export interface DeflateExports {
  readonly memory: WebAssembly.Memory
  configure(bytes: number): number
  inputAddress(): number
  outputAddress(): number
  compress(rounds: number, depth: number, nice: number): number
}
