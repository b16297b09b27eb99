import { readFileSync } from 'node:fs'
import { setFlagsFromString } from 'node:v8'

/** V8 13.6 (Node 24): the tests have seen its 256-bit vectors give the same bits as 128-bit ones. */
const isTried = process.arch === 'x64' && process.versions.v8.startsWith('13.6.')

/** V8's flags while a kernel is compiled, and otherwise: vectors joined in pairs; optimised at once, because only the optimising compiler joins them. */
const FLAGS = [
  ['--experimental-wasm-revectorize', '--no-experimental-wasm-revectorize'],
  ['--no-liftoff', '--liftoff'],
  ['--no-wasm-lazy-compilation', '--wasm-lazy-compilation'],
] as const

/**
 * Compiles one of our kernels (`npm run kernels` builds them). Unless KERNEL_VECTORS is 128, two operations on 128 bits become one on 256
 * where V8 and the processor (AVX2) can, with the same results; other modules are compiled as ever. Throws when the file is missing.
 */
export const compileKernel = (wasm: URL): WebAssembly.Module => {
  const bytes = readFileSync(wasm)
  if (!isTried || process.env['KERNEL_VECTORS'] === '128') return new WebAssembly.Module(bytes)
  for (const [meanwhile] of FLAGS) setFlagsFromString(meanwhile)
  try {
    return new WebAssembly.Module(bytes)
  } finally {
    for (const [, otherwise] of FLAGS) setFlagsFromString(otherwise)
  }
}
