/** Packs the WordPress plug-in: `npm run build:wordpress` writes packages/wordpress/whittle.zip, or the file that is named. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { makeZip } from '../src/playground/zip.ts'

const root = fileURLToPath(new URL('../packages/wordpress/', import.meta.url))
const output = resolve(process.argv[2] ?? join(root, 'whittle.zip'))

const entries = readdirSync(join(root, 'whittle'), { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => join(entry.parentPath, entry.name))
  .toSorted()
  .map((path) => ({ name: path.slice(root.length), bytes: new Uint8Array(readFileSync(path)) }))

writeFileSync(output, new Uint8Array(await makeZip(entries).arrayBuffer()))
process.stdout.write(`${output}: ${entries.length} files\n`)
