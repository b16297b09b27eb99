import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { contentsOf } from '../../site/contents.ts'
import { landingPage } from '../../site/landing.ts'
import { withSiteLinks } from '../../site/links.ts'
import { parseOptions } from '../../src/options/parse.ts'
import { PROMISES } from '../../src/plan/targets.ts'
import { examplesOf, PAGES, ROOT } from './examples.ts'

const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8')
const GUIDES = readdirSync(join(ROOT, 'docs/guides')).map((name) => `docs/guides/${name}`)

/** Code in a column of the page's tables. */
const codeIn = (page: string, column: number): readonly string[] =>
  [...read(page).matchAll(/^\|(.*)\|$/gm)].flatMap(([, row = '']) =>
    [...(row.split('|')[column] ?? '').matchAll(/`([a-z\d][\w=.,-]*)`/g)].map(([, list = '']) => list),
  )

describe('guides', () => {
  it.each([
    ['docs/guides/from-imageoptim.md', 0],
    ['docs/guides/from-imgproxy.md', 1],
    ['docs/guides/from-tinypng.md', 1],
    ['docs/guides/from-sharp.md', 2],
  ])('%s names no option that the service refuses', (page, column) => {
    const lists = codeIn(page, column).filter((list) =>
      /^\d|^(full|crop|pad|fit|trim|bgcolor|quality|format)/.test(list),
    )
    expect(lists.length).toBeGreaterThan(8)
    expect(lists.filter((list) => parseOptions(`300x200,${list}`, { maxTimeout: 30 }).kind === 'wrong')).toEqual([])
  })

  const settings = PAGES.flatMap(examplesOf).filter(({ language }) => ['json', 'yaml'].includes(language))
  it.each(settings.map(({ page, line, code }) => [page, line, code] as const))('%s:%i can be parsed', (_, __, code) => {
    expect(parse(code)).toBeTypeOf('object')
  })

  it('state the bounds of the presets', () => {
    const rows = [...read('docs/guides/how-quality-works.md').matchAll(/\| ([\d.]+) \| ([\d.]+) \| ([\d.]+) \|$/gm)]
    const bounds = [PROMISES.low, PROMISES.medium, PROMISES.high]
    expect(rows.map(([, ...cells]) => cells.map(Number))).toEqual(
      (['ssimulacra', 'butteraugli3', 'tileColour', 'contour'] as const).map((name) => bounds.map((one) => one[name])),
    )
  })
})

describe('the site', () => {
  const documents = readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`)
  const pages = contentsOf(documents).flatMap((group) => group.pages)
  const repository = {
    isThere: (path: string) => existsSync(join(ROOT, path)),
    titleOf: (path: string) => path,
  }

  it('has every page of docs/, and none twice', () => {
    expect(pages.filter((path) => path.startsWith('docs/')).toSorted()).toEqual(documents.toSorted())
    expect(new Set(pages).size).toBe(pages.length)
  })

  it.each(pages.filter((path) => path.endsWith('.md')))('finds what %s links to', (path) => {
    expect(() => withSiteLinks(read(path), path, repository)).not.toThrow()
  })

  it('turns links into addresses of the site, leaves code alone, and refuses what leads nowhere', () => {
    const text =
      '[docs/options.md](docs/options.md) [a](docs/decisions) [b](deploy/Dockerfile) [c](https://e.com) `[d](x.md)`'
    expect(withSiteLinks(text, 'README.md', { ...repository, titleOf: () => 'Options' })).toBe(
      '[Options](/options) [a](/decisions/) [b](/deploy#deploy-dockerfile) [c](https://e.com) `[d](x.md)`',
    )
    expect(() => withSiteLinks('[a](gone.md)', 'README.md', repository)).toThrow('README.md: gone.md leads nowhere')
  })

  it('shows what README says on its first page', () => {
    const page = landingPage(read('README.md'))
    expect(page).toContain('A quality, not a number.')
    expect(page).toMatch(/<dd>\d\d<small> %/)
    expect(() => landingPage('# Whittle\n')).toThrow('README does not tell')
  })

  it('leads to every guide from there', () => {
    const page = landingPage(read('README.md'))
    expect(GUIDES.filter((path) => !page.includes(`./${path.slice('docs/'.length, -'.md'.length)}.html`))).toEqual([])
  })
})
