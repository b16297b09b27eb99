import { readFileSync } from 'node:fs'
import { setFlagsFromString } from 'node:v8'

/** Whether V8 is 13.6 (Node 24), for which tests prove that 256-bit vectors give the same bits as 128-bit ones. */
const supportsWideVectors = process.arch === 'x64' && process.versions.v8.startsWith('13.6.')

/** Pairs of V8 flags: while a kernel is compiled, and otherwise. */
const OPTIMISED = [
  ['--no-liftoff', '--liftoff'],
  ['--no-wasm-lazy-compilation', '--wasm-lazy-compilation'],
] as const
/** V8 vectorises only code that is optimised immediately. */
const WIDE_VECTORS = [['--experimental-wasm-revectorize', '--no-experimental-wasm-revectorize'], ...OPTIMISED] as const

/**
 * Compiles one of our kernels (`npm run kernels` builds them) with optimisation from the start. Uses 256-bit vectors if V8 and the
 * processor (AVX2) support them and KERNEL_VECTORS is not 128; results are the same. V8 13.6 misplaces joined stores at constant addresses
 * by 16 bytes when the upper one comes first; `scripts/build-kernels.ts` rejects such code. Throws when the file is missing.
 */
export const compileKernel = (wasm: URL): WebAssembly.Module => {
  const bytes = readFileSync(wasm)
  if (!supportsWideVectors) return new WebAssembly.Module(bytes)
  const flags = process.env['KERNEL_VECTORS'] !== '128' ? WIDE_VECTORS : OPTIMISED
  for (const [meanwhile] of flags) setFlagsFromString(meanwhile)
  try {
    return new WebAssembly.Module(bytes)
  } finally {
    for (const [, otherwise] of flags) setFlagsFromString(otherwise)
  }
}
