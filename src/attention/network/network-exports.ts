/** Exports of kernels/network, written by `npm run kernels`. Addresses are bytes in its memory. */
export interface NetworkExports {
  readonly memory: WebAssembly.Memory
  scratchBytes(): number
  freeAddress(): number
  fill(input: number, bytes: number, scaling: number, first: number): void
  pack(step: number, from: number, inputs: number, outputs: number): void
  run(steps: number, count: number, scratch: number): void
}
