import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
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
