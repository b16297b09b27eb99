import { readFileSync } from 'node:fs'
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
