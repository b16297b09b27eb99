import { globSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { DOCUMENTS } from '../scripts/write-docs.ts'

describe.each(Object.entries(DOCUMENTS))('%s', (path, generate) => {
  it('is what its table says (else run: node scripts/write-docs.ts)', () => {
    expect(readFileSync(new URL(`../${path}`, import.meta.url), 'utf8')).toBe(generate())
  })

  it('has no hole in its texts', () => {
    expect(generate()).not.toMatch(/\bNaN\b|\bundefined\b|\[object/)
  })
})

describe('docs/architecture.md', () => {
  const rules = createRequire(import.meta.url)('../.import-rules.cjs') as Readonly<Record<string, readonly string[]>>
  const page = readFileSync(new URL('../docs/architecture.md', import.meta.url), 'utf8')
  const rows = new Map(
    [...page.matchAll(/^\| `(\w+)\/(?:\{[^}]*\}\/)?` \| .* \| ([^|]*) \|$/gm)].map(([, room, imports]) => [
      room,
      imports,
    ]),
  )

  it.each(Object.entries(rules))('%s/ imports what the rules allow', (room, allowed) => {
    expect(rows.get(room)).toBe(allowed.length === 0 ? 'nothing' : allowed.join(', '))
  })
})

/** Names of TypeScript files in a text: `names.test.ts`, `src/plan/targets.ts`; not patterns such as `<name>/index.ts`. */
const FILE_NAME = /(?<![\w./>*-])[\w./-]*\w\.ts\b/g
/** Where pages and sources speak of files: in code spans and links, and in comments. */
const SPOKEN = { md: /`[^`\n]+`|\]\([^)\s]+\)/g, ts: /\/\/[^\n]*|\/\*[\s\S]*?\*\//g }

describe('files that are spoken of', () => {
  const root = new URL('..', import.meta.url)
  const files = globSync('**/*.{ts,md}', {
    cwd: fileURLToPath(root),
    exclude: ['**/node_modules', '**/dist', 'coverage'],
  })
  const namesIn = (file: string, spoken: RegExp): string[] =>
    (readFileSync(new URL(file, root), 'utf8').match(spoken) ?? []).flatMap((part) => part.match(FILE_NAME) ?? [])
  const isThere = (name: string): boolean => {
    const path = name.replace(/^(\.{1,2}\/)+/, '')
    return files.some((file) => file === path || file.endsWith(`/${path}`))
  }

  it.each(Object.entries(SPOKEN))('in *.%s exist', (extension, spoken) => {
    const names = files
      .filter((file) => file.endsWith(`.${extension}`))
      .flatMap((file) => namesIn(file, spoken).map((name) => ({ file, name })))
    expect(names.length).toBeGreaterThan(20)
    expect(names.filter(({ name }) => !isThere(name))).toEqual([])
  })
})

it('tells the JPEG encoder in at most 1,000 words: what was tried stands in its lab log', () => {
  const page = readFileSync(new URL('../docs/jpeg-encoder.md', import.meta.url), 'utf8')
  expect(page.match(/[\p{L}\p{N}][^\s|]*/gu)?.length).toBeLessThanOrEqual(1000)
})
