import { compileKernel } from '../../support/compile-kernel.ts'
import type { NetworkExports } from './network-exports.ts'

/** The exports of kernels/network. */
export type NetworkKernel = NetworkExports

/** Both src/attention/network and dist/attention/network are three folders below the package's root. */
const wasm = new URL('../../../kernels/network/network.wasm', import.meta.url)

/** Compiles the network kernel (built by `npm run kernels`). The result creates instances, each with its own memory. */
export const loadNetworkKernel = (): (() => NetworkKernel) => {
  const module = compileKernel(wasm)
  return () => new WebAssembly.Instance(module).exports as unknown as NetworkKernel
}
