/** Checks the built site: every link within it leads to a file, every fragment to an element, and nothing comes from another host. */
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const DIST = fileURLToPath(new URL('dist/', import.meta.url))
const BASE = process.env['SITE_BASE'] ?? '/'

const files = new Set(readdirSync(DIST, { recursive: true, encoding: 'utf8' }))
const pages = [...files].filter((name) => name.endsWith('.html') && name !== '404.html')
const textOf = (page: string): string => readFileSync(DIST + page, 'utf8')
const ids = new Map(
  pages.map((page) => [page, new Set([...textOf(page).matchAll(/\sid="([^"]+)"/g)].map(([, id]) => id))]),
)

/** The fault of a link; undefined if there is none. */
const wrongWith = (link: string, page: string): string | undefined => {
  if (/^(mailto|data):/.test(link)) return undefined
  const url = new URL(link, `http://site${BASE}${page}`)
  if (url.host !== 'site') return undefined
  const path = decodeURIComponent(url.pathname.slice(BASE.length))
  const file = path === '' || path.endsWith('/') ? `${path}index.html` : path
  if (!files.has(file)) return `${page}: there is no ${link}`
  const fragment = decodeURIComponent(url.hash.slice(1))
  if (fragment !== '' && ids.get(file)?.has(fragment) === false) return `${page}: ${link} has no such place`
  return undefined
}

const wrong = pages.flatMap((page) => {
  const text = textOf(page)
  const links = [...text.matchAll(/\shref="([^"]*)"/g), ...text.matchAll(/\ssrc="([^"]*)"/g)]
  const loaded = [...text.matchAll(/<(?:script|link|img|iframe)[^>]*\s(?:src|href)="(https?:[^"]*)"/g)]
  return [
    ...links.flatMap(([, link = '']) => wrongWith(link.replaceAll('&amp;', '&'), page) ?? []),
    ...loaded.map(([, link]) => `${page}: ${link} comes from another host`),
  ]
})
for (const sentence of new Set(wrong)) process.stderr.write(`${sentence}\n`)
process.stdout.write(`${pages.length} pages, ${wrong.length} dead links\n`)
process.exitCode = wrong.length === 0 ? 0 : 1
