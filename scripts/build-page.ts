/** Builds what the pages load: `assets/page/`, from `src/playground/`. */
import { copyFileSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const OUTPUT = `${ROOT}/assets/page`
/** Script and style of the playground. */
const MAX_GZIPPED_BYTES = 60_000

const weight = (name: string): number => gzipSync(readFileSync(`${OUTPUT}/${name}`), { level: 9 }).length

/** Builds the pages' files; throws when the playground has become too heavy. Gives its weight in bytes, gzipped. */
export const buildPage = async (): Promise<number> => {
  rmSync(OUTPUT, { recursive: true, force: true })
  mkdirSync(OUTPUT, { recursive: true })
  await build({
    absWorkingDir: ROOT,
    entryPoints: {
      playground: 'src/playground/main.ts',
      explanation: 'src/playground/explanation.ts',
      page: 'src/playground/page.css',
    },
    outdir: OUTPUT,
    bundle: true,
    minify: true,
    format: 'esm',
    target: ['chrome120', 'firefox121', 'safari17'],
    logLevel: 'warning',
  })
  copyFileSync(`${ROOT}/docs/sample.png`, `${OUTPUT}/sample.png`)
  copyFileSync(`${ROOT}/src/playground/icon.svg`, `${OUTPUT}/icon.svg`)
  const bytes = weight('playground.js') + weight('page.css')
  if (bytes > MAX_GZIPPED_BYTES)
    throw new Error(`The playground weighs ${bytes} bytes, and at most ${MAX_GZIPPED_BYTES} are wanted.`)
  return bytes
}

if (import.meta.main) process.stdout.write(`playground: ${await buildPage()} bytes gzipped\n`)
