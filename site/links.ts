import { posix } from 'node:path'

/** Where pages from outside `docs/` stand on the site. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  'README.md': 'index.md',
  'CHANGELOG.md': 'changelog.md',
  'docs/README.md': 'documents.md',
  'CONTRIBUTING.md': 'contributing.md',
  'SECURITY.md': 'reporting.md',
  'packages/client/README.md': 'client.md',
  'packages/client/adapters/vite.md': 'adapters/vite.md',
  'packages/client/adapters/eleventy.md': 'adapters/eleventy.md',
  'packages/client/adapters/next.md': 'adapters/next.md',
  'packages/client/adapters/nuxt.md': 'adapters/nuxt.md',
  'packages/client/adapters/unpic.md': 'adapters/unpic.md',
  'packages/wordpress/README.md': 'wordpress-plugin.md',
  'packages/client/adapters/astro.md': 'adapters/astro.md',
  deploy: 'deploy.md',
}

/** Where a page of the repository stands on the site: `docs/decisions/README.md` is `decisions/index.md`. */
export const placeOf = (path: string): string =>
  ELSEWHERE[path] ?? path.replace(/^docs\//, '').replace(/README\.md$/, 'index.md')

/** The address of a page: `/decisions/`, `/options`. */
export const addressOf = (path: string): string => `/${placeOf(path).replace(/(^|\/)index\.md$|\.md$/, '$1')}`

/** The anchor of a file on the page that shows the files of `deploy/`. */
export const anchorOfFile = (path: string): string => path.replaceAll(/[^a-z0-9]+/gi, '-').toLowerCase()

/** Texts in which nothing is a link: fenced blocks and code in lines. */
const CODE = /^```[\s\S]*?^```|`[^`\n]+`/gm

/** The address on the site of a page's relative link. Throws if the repository has no such file. */
const targetOf = (
  link: string,
  from: string,
  { isThere, addressOfPage }: Pick<Repository, 'isThere'> & { readonly addressOfPage: (path: string) => string },
): string => {
  if (/^([a-z]+:|#)/.test(link)) return link
  const [path = '', hash] = link.split('#')
  const found = posix.join(posix.dirname(from), path).replace(/\/$/, '')
  const page = isThere(`${found}/README.md`) ? `${found}/README.md` : found
  if (!isThere(page)) throw new Error(`${from}: ${link} leads nowhere`)
  if (found.startsWith('deploy/')) return `${addressOfPage('deploy')}#${anchorOfFile(found)}`
  if (found !== 'deploy' && !page.endsWith('.md')) return `/${placeOf(page)}`
  return addressOfPage(page) + (hash === undefined ? '' : `#${hash}`)
}

/** Look-ups in the repository; paths are from its root. */
export interface Repository {
  readonly isThere: (path: string) => boolean
  readonly titleOf: (page: string) => string
}

/** Text on the site of a link that only names a file, as in `[docs/options.md](docs/options.md)`: the page's title. */
const nameOf = (name: string, link: string, from: string, titleOf: Repository['titleOf']): string =>
  name.endsWith('.md') && link.endsWith(name) ? titleOf(posix.join(posix.dirname(from), link)) : name

/** A page's text with links that hold on the site. `from` is its path in the repository. `addressOfPage` gives other addresses than those of the HTML pages. */
export const withSiteLinks = (
  text: string,
  from: string,
  { isThere, titleOf }: Repository,
  addressOfPage: (path: string) => string = addressOf,
): string => {
  const code: string[] = []
  const hidden = text.replace(CODE, (block) => `\0${code.push(block) - 1}\0`)
  return hidden
    .replaceAll(/\[([^[\]]*)\]\(([^()\s]+)\)/g, (_, name: string, link: string) => {
      return `[${nameOf(name, link, from, titleOf)}](${targetOf(link, from, { isThere, addressOfPage })})`
    })
    .replaceAll(/\0(\d+)\0/g, (_, index: string) => code[Number(index)]!)
}
