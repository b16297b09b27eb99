import { compileKernel } from '../../support/compile-kernel.ts'
import type { NetworkExports } from './network-exports.ts'

/** Both src/attention/network and dist/attention/network are three folders below the package's root. */
const wasm = new URL('../../../kernels/network/network.wasm', import.meta.url)

/** Compiles the network kernel (built by `npm run kernels`). The result creates instances, each with its own memory. */
export const loadNetworkKernel = (): (() => NetworkExports) => {
  const module = compileKernel(wasm)
  return () => new WebAssembly.Instance(module).exports as unknown as NetworkExports
}
