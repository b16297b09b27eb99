import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { FAILURES } from '../src/core/failure.ts'
import { EXPOSED_HEADERS } from '../src/server/headers.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const CONTRACT = readFileSync(join(ROOT, 'docs/contract.md'), 'utf8')

/** Sections of the contract with their numbered clauses: `2` and `2.4`. */
const clausesOf = (contract: string): ReadonlySet<string> => {
  const clauses = new Set<string>()
  let section = ''
  for (const line of contract.split('\n')) {
    section = /^## (\d+) /.exec(line)?.[1] ?? section
    if (section !== '') clauses.add(section)
    const clause = /^(\d+)\. /.exec(line)?.[1]
    if (section !== '' && clause !== undefined) clauses.add(`${section}.${clause}`)
  }
  return clauses
}

/** Sections that are agreed upon and not built yet: nothing cites them. Take a section off this list when it is. */
const NOT_BUILT: readonly string[] = []

interface Citation {
  readonly file: string
  readonly clause: string
}

const citationsIn = (file: string): Citation[] =>
  [...readFileSync(join(ROOT, file), 'utf8').matchAll(/§(\d+(?:\.\d+)?)/g)].map(([, clause]) => ({
    file,
    clause: clause!,
  }))

// Nothing is read below the folders that `npm run test:adapters` fills meanwhile: frameworks, and the sites that they build.
const citations = globSync('{src,kernels,test,scripts,bench,bin}/**/*.{ts,js}', {
  cwd: ROOT,
  exclude: ['**/node_modules', '**/.sites', 'test/contract.test.ts'],
}).flatMap(citationsIn)

describe('the contract and the code', () => {
  const clauses = clausesOf(CONTRACT)

  it('has numbered clauses', () => expect(clauses.size).toBeGreaterThan(40))

  it('every clause that the code cites stands in the contract', () =>
    expect(citations.filter(({ clause }) => !clauses.has(clause))).toEqual([]))

  const sections = [...clauses].filter((clause) => !clause.includes('.'))
  it.each(sections)('section %s is cited by the code or a test, unless it is not built', (section) => {
    const cited = citations.some(({ clause }) => clause === section || clause.startsWith(`${section}.`))
    expect(cited).toBe(!NOT_BUILT.includes(section))
  })

  it('every status of a failure stands in the table of errors', () => {
    const [, errors = ''] = /## 6 Errors([\s\S]*?)\n## /.exec(CONTRACT) ?? []
    const told = new Set(
      [...errors.matchAll(/^\| ([\d, ]+)(?: \*\*\+\*\*)? \|/gm)].flatMap(([, list]) => list!.split(',').map(Number)),
    )
    const unknown = Object.values(FAILURES)
      .map(({ status }) => status)
      .filter((status) => !told.has(status))
    expect(unknown).toEqual([])
  })

  it('every header that browsers may read stands in the table of headers', () => {
    const [, headers = ''] = /## 5 Response([\s\S]*?)\n1\. /.exec(CONTRACT) ?? []
    const told = headers.toLowerCase()
    expect(EXPOSED_HEADERS.filter((name) => !told.includes(name.toLowerCase()))).toEqual([])
  })
})
