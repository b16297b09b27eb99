import { existsSync, globSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { IS_RELEASED, installLinesOf, withInstallLines } from '../scripts/install-lines.ts'
import { DOCUMENTS, INSTALL_PAGES } from '../scripts/write-docs.ts'

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

describe('install lines', () => {
  const textOf = (path: string): string => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8')

  it.each(INSTALL_PAGES)('follow IS_RELEASED in %s (else run: npm run docs)', (path) => {
    expect(withInstallLines(textOf(path))).toBe(textOf(path))
    const byName = installLinesOf(textOf(path)).filter((line) => line.includes('@whittle-images/'))
    expect(byName.length > 0).toBe(IS_RELEASED)
  })

  it('become names of the registry by one setting, without the texts of before the release', () => {
    const page = [
      '# Page',
      'npm pack ../whittle/packages/client && npm install --save-dev ./whittle-images-client-0.1.0.tgz',
      '<!-- before the release -->',
      'A checkout.',
      '<!-- /before the release -->',
      'npm pack && npm install -g ./whittle-images-whittle-0.1.0.tgz',
    ].join('\n')
    expect(withInstallLines(page, true)).toBe(
      '# Page\nnpm install --save-dev @whittle-images/client\nnpm install -g @whittle-images/whittle',
    )
    for (const path of INSTALL_PAGES) expect(withInstallLines(textOf(path), true)).not.toMatch(/\.tgz|npm pack/)
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

  it.each(Object.entries(SPOKEN))('exist in *.%s', (extension, spoken) => {
    const names = files
      .filter((file) => file.endsWith(`.${extension}`))
      .flatMap((file) => namesIn(file, spoken).map((name) => ({ file, name })))
    expect(names.length).toBeGreaterThan(20)
    expect(names.filter(({ name }) => !isThere(name))).toEqual([])
  })
})

const DESIGN = new URL('../docs/design/', import.meta.url)
it.each(
  globSync('!(README).md', { cwd: fileURLToPath(DESIGN) }),
)('docs/design/%s has at most 900 words, with its problem and pseudocode', (name) => {
  const page = readFileSync(new URL(name, DESIGN), 'utf8')
  expect(page.trim().split(/\s+/).length).toBeLessThanOrEqual(900)
  for (const section of ['Problem', 'Pseudocode']) expect(page).toContain(`\n## ${section}\n`)
})

describe('links', () => {
  const root = fileURLToPath(new URL('..', import.meta.url))
  const pages = globSync(['*.md', '{docs,lab,packages,models}/**/*.md'], {
    cwd: root,
    exclude: ['**/node_modules', '**/dist'],
  })
  /** Relative links of a page, without code and without fragments. */
  const linksOf = (page: string): readonly string[] => {
    const text = readFileSync(join(root, page), 'utf8').replaceAll(/^```[\s\S]*?^```|`[^`\n]+`/gm, '')
    return [...text.matchAll(/\]\(([^)#\s]+)/g)].map(([, link]) => link!).filter((link) => !/^[a-z]+:/.test(link))
  }

  /** A folder is a page of the site by its README; `deploy` has a page of its own. */
  const isThere = (path: string): boolean =>
    extname(path) !== '' || /\/deploy\/?/.test(path) ? existsSync(path) : existsSync(join(path, 'README.md'))

  it('lead to a file, or to a folder with a README', () => {
    const dead = pages.flatMap((page) =>
      linksOf(page)
        .filter((link) => !isThere(join(root, dirname(page), link)))
        .map((link) => `${page}: ${link}`),
    )
    expect(pages.length).toBeGreaterThan(40)
    expect(dead).toEqual([])
  })
})
