import { readFileSync } from 'node:fs'
import { setFlagsFromString } from 'node:v8'

/** V8 13.6 (Node 24): the tests have seen its 256-bit vectors give the same bits as 128-bit ones. */
const isTried = process.arch === 'x64' && process.versions.v8.startsWith('13.6.')

/** V8's flags while a kernel is compiled, and otherwise. */
const AT_ONCE = [
  ['--no-liftoff', '--liftoff'],
  ['--no-wasm-lazy-compilation', '--wasm-lazy-compilation'],
] as const
/** Only what is optimised at once is joined. */
const JOINED = [['--experimental-wasm-revectorize', '--no-experimental-wasm-revectorize'], ...AT_ONCE] as const

/**
 * Compiles one of our kernels (`npm run kernels` builds them), optimised at once. Vectors are joined where V8 and the processor (AVX2) can and
 * KERNEL_VECTORS is not 128, with the same results; other modules are compiled as ever. V8 13.6 puts joined stores at constant addresses 16 bytes too far
 * where the upper one comes first: `scripts/build-kernels.ts` refuses such. Throws when the file is missing.
 */
export const compileKernel = (wasm: URL): WebAssembly.Module => {
  const bytes = readFileSync(wasm)
  if (!isTried) return new WebAssembly.Module(bytes)
  const flags = process.env['KERNEL_VECTORS'] !== '128' ? JOINED : AT_ONCE
  for (const [meanwhile] of flags) setFlagsFromString(meanwhile)
  try {
    return new WebAssembly.Module(bytes)
  } finally {
    for (const [, otherwise] of flags) setFlagsFromString(otherwise)
  }
}
