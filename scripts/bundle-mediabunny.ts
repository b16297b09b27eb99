/**
 * Puts what is used of mediabunny into the one built file that uses it: 0.3 MB in place of a package of 12. The file says what of it
 * is whose (MPL-2.0, unmodified).
 */
import { copyFileSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, type Plugin } from 'esbuild'

const FOLDER = fileURLToPath(new URL('../dist/motion/video', import.meta.url))
const PACKAGE = fileURLToPath(new URL('../node_modules/mediabunny', import.meta.url))
const { version } = JSON.parse(readFileSync(join(PACKAGE, 'package.json'), 'utf8')) as { version: string }

/** Our own files stay files of their own. */
const ours: Plugin = {
  name: 'ours',
  setup: ({ onResolve }) =>
    onResolve({ filter: /^\./ }, ({ path, importer }) =>
      importer.startsWith(FOLDER) ? { path, external: true } : undefined,
    ),
}

await build({
  entryPoints: [join(FOLDER, 'stamp-video.js')],
  outfile: join(FOLDER, 'stamp-video.js'),
  allowOverwrite: true,
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node24',
  plugins: [ours],
  banner: {
    js: `/* Holds parts of mediabunny ${version} under the Mozilla Public License 2.0 (mediabunny.LICENSE); its source is the npm package of that name and version. */`,
  },
  logLevel: 'warning',
})
copyFileSync(join(PACKAGE, 'LICENSE'), join(FOLDER, 'mediabunny.LICENSE'))
