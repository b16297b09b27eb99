import { compileKernel } from '../../core/compile-kernel.ts'

/** The exports of kernels/network/index.ts. */
export interface NetworkKernel {
  readonly memory: WebAssembly.Memory
  freeAddress(): number
  scratchBytes(): number
  packDirect(from: number, to: number, size: number, inputs: number, outputs: number, pitch: number): void
  packWinograd(from: number, to: number, inputs: number, outputs: number, channels: number): void
  fill(input: number, bytes: number, scaling: number, first: number): void
  run(steps: number, count: number, scratch: number): void
}

/** Both src/attention/network and dist/attention/network are three folders below the package's root. */
const wasm = new URL('../../../kernels/network/network.wasm', import.meta.url)

/** Compiles the network kernel (built by `npm run kernels`). The result creates instances, each with its own memory. */
export const loadNetworkKernel = (): (() => NetworkKernel) => {
  const module = compileKernel(wasm)
  return () => new WebAssembly.Instance(module).exports as unknown as NetworkKernel
}
