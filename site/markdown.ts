/** Files for programs: each page as Markdown next to its HTML, and `llms.txt` (llmstxt.org), which lists them. */
import { posix } from 'node:path'
import type { Group } from './contents.ts'
import { placeOf, type Repository, withSiteLinks } from './links.ts'

/** Longest text that describes a page in `llms.txt`, in characters. */
const MAX_DESCRIPTION = 200

/** The address of a page's Markdown, relative to that of another page. */
const addressFrom = (from: string) => (path: string) => posix.relative(posix.dirname(placeOf(from)), placeOf(path))

/** A page as Markdown whose links lead to the Markdown of other pages. */
export const markdownOf = (text: string, from: string, repository: Repository): string =>
  withSiteLinks(text, from, repository, addressFrom(from))

/** The first sentence of a page under its heading, without links and code fences. */
export const describe = (text: string): string => {
  const paragraphs = text
    .replaceAll(/^```[\s\S]*?^```/gm, '')
    .replaceAll(/<!--[\s\S]*?-->/g, '')
    .split(/\n{2,}/)
  const [first = ''] = paragraphs.map((each) => each.trim()).filter((each) => /^[A-Z`[]/.test(each))
  const plain = first.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').replaceAll(/\s+/g, ' ')
  const sentence = (/^.*?[.:](?= |$)/.exec(plain)?.[0] ?? plain).replace(/:$/, '.')
  return sentence.length > MAX_DESCRIPTION ? `${sentence.slice(0, MAX_DESCRIPTION - 1)}…` : sentence
}

/** The text of `llms.txt`: what this is, and every page by group. */
export const llmsText = (
  {
    title,
    summary,
    contents,
  }: { readonly title: string; readonly summary: string; readonly contents: readonly Group[] },
  { titleOf, textOf }: { readonly titleOf: (path: string) => string; readonly textOf: (path: string) => string },
): string => {
  const line = (path: string): string => {
    const description = describe(textOf(path))
    return `- [${titleOf(path)}](${placeOf(path)})${description === '' ? '' : `: ${description}`}`
  }
  const groups = contents.map((group) => `## ${group.title}\n\n${group.pages.map(line).join('\n')}`)
  return `# ${title}\n\n> ${summary}\n\n${groups.join('\n\n')}\n`
}
