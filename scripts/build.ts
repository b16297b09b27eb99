/** Builds what is published: JavaScript in `dist/`, the kernels, the pages and the fonts. */
import { execFileSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const run = (script: string, ...args: string[]): void =>
  void execFileSync(process.execPath, [`${root}/${script}`, ...args], { cwd: root, stdio: 'inherit' })

rmSync(`${root}/dist`, { recursive: true, force: true })
run('node_modules/typescript/bin/tsc', '-p', 'tsconfig.build.json')
run('scripts/keep-declarations.ts')
run('scripts/bundle-mediabunny.ts')
run('scripts/build-kernels.ts')
run('scripts/build-page.ts')
run('scripts/copy-fonts.ts')
