/**
 * Compiles every AssemblyScript kernel (`kernels/<name>/index.ts`) to `kernels/<name>/<name>.wasm`, and writes its interface
 * (`<name>-exports.ts`) next to its loader in `src`.
 * Usage: node scripts/build-kernels.ts [name ...]   (all of them when none is named)
 */
import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import binaryen from 'assemblyscript/binaryen'
import { hoistConstants } from './hoist-constants.ts'
import { interfaceFileOf, interfaceOf } from './kernel-interface.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const kernels = readdirSync(`${root}/kernels`).filter((name) => existsSync(`${root}/kernels/${name}/index.ts`))
const wanted = process.argv.length > 2 ? process.argv.slice(2) : kernels

/** Kernels that gain by it (6 %); the others' loops have few constants. */
const HOISTED = ['butteraugli']

/** Vectors stored at a constant address (an array of `memory.data`): V8 13.6 may put two that it joined 16 bytes too far. */
const storesAtConstants = (text: string): number =>
  text.match(/\(v128\.store [^\n]*\n\s*\(i32\.const|\(v128\.store\n\s*\(i32\.const/g)?.length ?? 0

const textOf = (wasm: string): string => {
  const module = binaryen.readBinary(readFileSync(wasm))
  const text = module.emitText()
  module.dispose()
  return text
}

const writeModule = (text: string, wasm: string): void => {
  const module = binaryen.parseText(text)
  module.setFeatures(binaryen.Features.All)
  if (!module.validate()) throw new Error(`${wasm}: not a valid module any more`)
  writeFileSync(wasm, module.emitBinary())
  module.dispose()
}

/** `stub` runtime: kernels manage their own linear memory; nothing is ever collected. */
const flags = ['-O3', '--noAssert', '--converge', '--runtime', 'stub', '--enable', 'simd', '--enable', 'relaxed-simd']

for (const name of wanted) {
  const out = `${root}/kernels/${name}/${name}.wasm`
  const asc = `${root}/node_modules/assemblyscript/bin/asc.js`
  execFileSync(process.execPath, [asc, `${root}/kernels/${name}/index.ts`, '--outFile', out, ...flags], {
    stdio: 'inherit',
  })
  const text = textOf(out)
  if (storesAtConstants(text) > 0)
    throw new Error(
      `kernels/${name}: vectors are stored at a constant address; give it by a variable (see src/support/compile-kernel.ts)`,
    )
  if (HOISTED.includes(name)) writeModule(hoistConstants(text), out)
  const interfaceFile = interfaceFileOf(root, name)
  if (interfaceFile !== undefined) writeFileSync(interfaceFile, interfaceOf(`${root}/kernels/${name}`, name))
  process.stdout.write(`kernels/${name}/${name}.wasm\n`)
}
