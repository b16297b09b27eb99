/** Removes the type declarations from `dist/` that the public ones do not reach: they would take 2.5 MB of an installation. */
import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Relative modules that a declaration names after `from`, after `import` or as the argument of `import`. */
const NAMED = /(?:from\s+|import\(\s*|import\s+)['"](\.{1,2}\/[^'"]+)\.ts['"]/g

/** The entries and every declaration that they reach, as paths below the directory that `read` knows. */
export const reachableFrom = (entries: readonly string[], read: (path: string) => string): ReadonlySet<string> => {
  const reached = new Set<string>()
  const waiting = [...entries]
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (reached.has(path)) continue
    reached.add(path)
    for (const [, name] of read(path).matchAll(NAMED)) waiting.push(join(dirname(path), `${name}.d.ts`))
  }
  return reached
}

/** The declarations that package.json names, from `dist/`. */
const entries = (): readonly string[] => {
  const { exports } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
    exports: Readonly<Record<string, string | { readonly types: string }>>
  }
  return Object.values(exports).flatMap((one) => (typeof one === 'string' ? [] : relative('dist', one.types)))
}

const keepReachable = (directory: string): void => {
  const kept = reachableFrom(entries(), (path) => readFileSync(join(directory, path), 'utf8'))
  for (const path of readdirSync(directory, { recursive: true, encoding: 'utf8' }))
    if (path.endsWith('.d.ts') && !kept.has(path)) rmSync(join(directory, path))
}

if (import.meta.main) keepReachable(fileURLToPath(new URL('../dist', import.meta.url)))
