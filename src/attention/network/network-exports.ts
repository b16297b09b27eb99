/** Exports of kernels/network, written by `npm run kernels`. Addresses are bytes in its memory. */
export interface NetworkExports {
  readonly memory: WebAssembly.Memory
  scratchBytes(): number
  freeAddress(): number
  fill(input: number, bytes: number, scaling: number, first: number): void
  run(steps: number, count: number, scratch: number): void
  packDirect(from: number, to: number, size: number, inputs: number, outputs: number, pitch: number): void
  packWinograd(from: number, to: number, inputs: number, outputs: number, channels: number): void
}
