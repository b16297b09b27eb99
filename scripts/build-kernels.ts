/**
 * Compiles every AssemblyScript kernel (`kernels/<name>/index.ts`) to `kernels/<name>/<name>.wasm`.
 * Usage: node scripts/build-kernels.ts [name ...]   (all of them when none is named)
 */
import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const kernels = readdirSync(`${root}/kernels`).filter((name) => existsSync(`${root}/kernels/${name}/index.ts`))
const wanted = process.argv.length > 2 ? process.argv.slice(2) : kernels

/** `stub` runtime: kernels manage their own linear memory; nothing is ever collected. */
const flags = ['-O3', '--noAssert', '--converge', '--runtime', 'stub', '--enable', 'simd']

for (const name of wanted) {
  const out = `${root}/kernels/${name}/${name}.wasm`
  const asc = `${root}/node_modules/assemblyscript/bin/asc.js`
  execFileSync(process.execPath, [asc, `${root}/kernels/${name}/index.ts`, '--outFile', out, ...flags], {
    stdio: 'inherit',
  })
  process.stdout.write(`kernels/${name}/${name}.wasm\n`)
}
