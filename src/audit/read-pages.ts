/** Reads pages, follows links on the same host, and collects all images of the pages and their style sheets. */
import { readFile } from 'node:fs/promises'
import type { BrowserReader } from './browser/read-in-browser.ts'
import type { FileSource } from './fetch-files.ts'
import { absolute, type ImageUse, type PageContent, readPage } from './page-content.ts'
import { reasonOf } from './reason-of.ts'
import { imagesOfStyles } from './style-images.ts'

export interface PageLimits {
  readonly maxPages: number
  readonly signal: AbortSignal
  /** Reads pages with their scripts. Default: only HTML and CSS are read. */
  readonly browser?: BrowserReader | undefined
}

/** Image addresses with all their mentions and pages. */
export type FoundImages = ReadonlyMap<string, { readonly uses: readonly ImageUse[]; readonly pages: readonly string[] }>

export interface ReadPages {
  readonly pages: readonly string[]
  readonly images: FoundImages
  /** Pages and style sheets that could not be read, with the reason. */
  readonly problems: readonly Problem[]
}

/** Maximum depth of style sheets that import each other. */
const MAX_IMPORT_DEPTH = 3

/** Whether a signal fired because the time of an audit is over, not because the user interrupted it. */
export const isTimeOver = (signal: AbortSignal): boolean =>
  signal.aborted && signal.reason instanceof DOMException && signal.reason.name === 'TimeoutError'

interface Problem {
  readonly url: string
  readonly reason: string
}

/** Reads files of a site. A file that cannot be read becomes a problem, and undefined. */
const openReader = (source: FileSource, { signal, browser }: PageLimits) => {
  const problems: Problem[] = []
  const orProblem = async <Read>(url: string, read: () => Promise<Read>): Promise<Read | undefined> => {
    try {
      signal.throwIfAborted()
      return await read()
    } catch (error) {
      if (!isTimeOver(signal)) signal.throwIfAborted()
      problems.push({ url, reason: isTimeOver(signal) ? 'the time was over' : reasonOf(error) })
      return undefined
    }
  }
  const textOf = (url: string): Promise<{ text: string; finalUrl: string } | undefined> =>
    orProblem(url, async () => {
      if (!(await source.allows(url))) throw new Error('robots.txt asks programs not to read it')
      await using file = await source.fetch(url)
      return { text: await readFile(file.path, 'utf8'), finalUrl: file.finalUrl }
    })
  const contentOf = async (url: string): Promise<(PageContent & { finalUrl: string }) | undefined> => {
    if (browser !== undefined) return orProblem(url, () => browser.read(url))
    const page = await textOf(url)
    return page && { ...readPage(page.text, page.finalUrl), finalUrl: page.finalUrl }
  }
  return { problems, textOf, contentOf }
}

const backgroundAt = (url: string): ImageUse => ({
  url,
  role: 'background',
  shown: {},
  reservesSpace: true,
  lazy: false,
})

/** Finds the images of a style sheet and of those that it imports. Each sheet is read once. */
const openStyleReader = (textOf: ReturnType<typeof openReader>['textOf']) => {
  const seen = new Map<string, readonly ImageUse[]>()
  const imagesOf = async (url: string, depth = 1): Promise<readonly ImageUse[]> => {
    const known = seen.get(url)
    if (known !== undefined || depth > MAX_IMPORT_DEPTH) return known ?? []
    seen.set(url, [])
    const sheet = await textOf(url)
    if (sheet === undefined) return []
    const { images, imports } = imagesOfStyles(sheet.text)
    const addressesOf = (mentions: readonly string[]): readonly string[] =>
      mentions.map((mention) => absolute(mention, sheet.finalUrl)).filter((address) => address !== undefined)
    const found = addressesOf(images).map(backgroundAt)
    for (const address of addressesOf(imports)) for (const use of await imagesOf(address, depth + 1)) found.push(use)
    seen.set(url, found)
    return found
  }
  return imagesOf
}

/** Pages to read in the order in which they were linked, each once, on the hosts of the pages that link them. */
const openQueue = (starts: readonly string[], maxPages: number) => {
  const queue = [...starts]
  const queued = new Set(queue)
  return {
    next: (): string | undefined => queue.shift(),
    addLinksOf: ({ links, finalUrl }: PageContent & { readonly finalUrl: string }): void => {
      const { host, protocol } = new URL(finalUrl)
      for (const link of links) {
        const target = new URL(link)
        const isElsewhere = target.host !== host || target.protocol !== protocol
        if (isElsewhere || queued.has(link) || queued.size >= maxPages * 20) continue
        queued.add(link)
        queue.push(link)
      }
    },
  }
}

/** Reads pages breadth-first from `starts`, until `maxPages` pages are read, no link is left, or the time is over. */
export const readPages = async (
  source: FileSource,
  starts: readonly string[],
  limits: PageLimits,
): Promise<ReadPages> => {
  const { maxPages, signal } = limits
  const { problems, textOf, contentOf } = openReader(source, limits)
  const imagesOfSheet = openStyleReader(textOf)
  const queue = openQueue(starts, maxPages)
  const pages: string[] = []
  const images = new Map<string, { uses: ImageUse[]; pages: string[] }>()
  const add = (use: ImageUse, page: string): void => {
    const known = images.get(use.url) ?? { uses: [], pages: [] }
    images.set(use.url, known)
    known.uses.push(use)
    if (!known.pages.includes(page)) known.pages.push(page)
  }
  for (let url = queue.next(); url !== undefined && pages.length < maxPages && !signal.aborted; url = queue.next()) {
    const content = await contentOf(url)
    if (content === undefined) continue
    pages.push(url)
    for (const use of content.images) add(use, url)
    for (const sheet of content.styleSheets) for (const use of await imagesOfSheet(sheet)) add(use, url)
    queue.addLinksOf(content)
  }
  return { pages, images, problems }
}
