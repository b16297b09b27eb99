/** Gathers what the site is built from: pages of the repository with links that hold on the site, the landing page, the palette. */
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { contentsOf } from './contents.ts'
import { landingPage } from './landing.ts'
import { addressOf, anchorOfFile, placeOf, withSiteLinks } from './links.ts'
import { llmsText, markdownOf } from './markdown.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const SITE = join(ROOT, 'site')
const PAGES = join(SITE, '.pages')

const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8')
const isThere = (path: string): boolean => existsSync(join(ROOT, path))

const write = (path: string, text: string): void => {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}

const CONTENTS = contentsOf(
  readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`)
    .toSorted(),
)

const LANGUAGES: Readonly<Record<string, string>> = {
  conf: 'nginx',
  service: 'ini',
  yaml: 'yaml',
  Dockerfile: 'docker',
}

/** Files of `deploy/` that are read by people: not the dashboard, nor templates. */
const deployFiles = (): readonly string[] =>
  readdirSync(join(ROOT, 'deploy'), { recursive: true, encoding: 'utf8' })
    .map((name) => `deploy/${name}`)
    .filter((path) => statSync(join(ROOT, path)).isFile() && !/\.json$|\/helm\/|\.dockerignore$/.test(path))
    .toSorted()

/** One page that shows the files of `deploy/`. */
const deployPage = (): string =>
  [
    '# Files to deploy with',
    'What lies in `deploy/`: tested as it is, to be copied and changed. A dashboard for Grafana (`deploy/grafana/`) and a Helm chart (`deploy/helm/`) lie next to these.',
    ...deployFiles().map((path) => {
      const language = LANGUAGES[path.split(/[./]/).at(-1)!] ?? 'txt'
      return `## ${path} {#${anchorOfFile(path)}}\n\n\`\`\`${language}\n${read(path).trimEnd()}\n\`\`\``
    }),
  ].join('\n\n')

const titleOf = (path: string): string => /^# (.*)$/m.exec(path === 'deploy' ? deployPage() : read(path))?.[1] ?? path
const repository = { isThere, titleOf }
const textOf = (path: string): string => (path === 'deploy' ? deployPage() : read(path))
const pageOf = (path: string): string =>
  path === 'deploy' ? deployPage() : withSiteLinks(read(path), path, repository)

/** The colours of the pages that the service shows, with VitePress' selectors for dark and light. */
const palette = (): string => {
  const css = read('src/playground/page.css')
  const light = /^:root \{[\s\S]*?^\}/m.exec(css)?.[0]
  const dark = /^:root\[data-theme="dark"\] \{[\s\S]*?^\}/m.exec(css)?.[0]
  if (light === undefined || dark === undefined) throw new Error('page.css has no palette')
  return `${light}\n\n${dark.replace(':root[data-theme="dark"]', '.dark')}\n`
}

/** The navigation: groups of pages, each under its own first heading. */
const sidebar = (): readonly unknown[] =>
  CONTENTS.map(({ title, pages }) => ({
    text: title,
    items: pages.map((path) => ({ text: titleOf(path), link: addressOf(path) })),
  }))

rmSync(PAGES, { recursive: true, force: true })
for (const { pages } of CONTENTS) for (const path of pages) write(join(PAGES, placeOf(path)), pageOf(path))
write(join(PAGES, 'index.md'), withSiteLinks(landingPage(read('README.md')), 'README.md', repository))
const isPicture = (path: string): boolean => statSync(path).isDirectory() || /\.(png|webp|svg|jpg)$/.test(path)
cpSync(join(ROOT, 'docs'), join(PAGES, 'public'), { recursive: true, filter: isPicture })
cpSync(join(ROOT, 'src/playground/icon.svg'), join(PAGES, 'public/icon.svg'))
write(join(SITE, '.vitepress/theme/.palette.css'), palette())
write(join(SITE, '.vitepress/.sidebar.json'), JSON.stringify(sidebar(), null, 2))
for (const { pages } of CONTENTS)
  for (const path of pages)
    write(
      join(PAGES, 'public', placeOf(path)),
      path === 'deploy' ? deployPage() : markdownOf(read(path), path, repository),
    )
const summary = 'Self-hosted HTTP service that makes images as small as they can be at a guaranteed perceived quality'
write(join(PAGES, 'public/llms.txt'), llmsText({ title: 'Whittle', summary, contents: CONTENTS }, { titleOf, textOf }))
