import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** A file that pages load, in memory. */
export interface PageFile {
  readonly bytes: Uint8Array
  readonly headers: Readonly<Record<string, string>>
}

const TYPES: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  png: 'image/png',
  svg: 'image/svg+xml',
}

/** Folder that scripts/build-page.ts writes. */
const DIRECTORY = fileURLToPath(new URL('../../assets/page/', import.meta.url))

const open = (name: string): PageFile => {
  const bytes = readFileSync(`${DIRECTORY}/${name}`)
  return {
    bytes,
    headers: {
      'Content-Type': TYPES[name.split('.').at(-1)!] ?? 'application/octet-stream',
      ETag: `"${createHash('sha256').update(bytes).digest('hex').slice(0, 32)}"`,
      // The files change with the version, so browsers revalidate them.
      'Cache-Control': 'no-cache',
      'X-Content-Type-Options': 'nosniff',
    },
  }
}

/** Reads all files of the pages, by name. Returns an empty map if they are not built. */
export const readPageFiles = (): ReadonlyMap<string, PageFile> => {
  try {
    return new Map(readdirSync(DIRECTORY).map((name) => [name, open(name)]))
  } catch {
    return new Map()
  }
}
