/**
 * Takes what only a checkout needs out of package.json while it is packed, and puts the file back afterwards.
 * Usage: node scripts/packed-manifest.ts strip | restore   (npm calls it: prepack, postpack)
 */
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const MANIFEST = fileURLToPath(new URL('../package.json', import.meta.url))
const ORIGINAL = fileURLToPath(new URL('../node_modules/.package.json.original', import.meta.url))

interface Manifest {
  readonly scripts?: Readonly<Record<string, string>>
  readonly [field: string]: unknown
}

/** The manifest without scripts, development dependencies and settings of npm: none of them works without the sources. */
export const packedManifest = ({
  scripts: _scripts,
  devDependencies: _devDependencies,
  allowScripts: _allowScripts,
  ...rest
}: Manifest): Manifest => rest

const strip = (): void => {
  const text = readFileSync(MANIFEST, 'utf8')
  writeFileSync(ORIGINAL, text)
  writeFileSync(MANIFEST, `${JSON.stringify(packedManifest(JSON.parse(text) as Manifest), null, 2)}\n`)
}

const restore = (): void => {
  if (existsSync(ORIGINAL)) renameSync(ORIGINAL, MANIFEST)
}

if (import.meta.main) process.argv[2] === 'restore' ? restore() : strip()
