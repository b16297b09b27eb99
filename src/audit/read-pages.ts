/** Reads pages, follows links on the same host, and collects all images of the pages and their style sheets. */
import { readFile } from 'node:fs/promises'
import { Failure } from '../core/failure.ts'
import type { BrowserReader } from './browser/read-in-browser.ts'
import type { FileSource } from './fetch-files.ts'
import { absolute, type ImageUse, type PageContent, readPage } from './page-content.ts'
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
  readonly problems: readonly { readonly url: string; readonly reason: string }[]
}

/** Maximum depth of style sheets that import each other. */
const MAX_IMPORT_DEPTH = 3

export const reasonOf = (error: unknown): string =>
  error instanceof Failure ? error.message : error instanceof Error ? error.message : String(error)

/** Whether a signal fired because the time of an audit is over, not because the user interrupted it. */
export const isTimeOver = (signal: AbortSignal): boolean =>
  signal.aborted && signal.reason instanceof DOMException && signal.reason.name === 'TimeoutError'

/** Reads pages breadth-first from `starts`, until `maxPages` pages are read, no link is left, or the time is over. */
export const readPages = async (
  source: FileSource,
  starts: readonly string[],
  { maxPages, signal, browser }: PageLimits,
): Promise<ReadPages> => {
  const pages: string[] = []
  const problems: { url: string; reason: string }[] = []
  const images = new Map<string, { uses: ImageUse[]; pages: string[] }>()
  const seenSheets = new Map<string, readonly ImageUse[]>()
  const queue = [...starts]
  const queued = new Set(queue)

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
  const sheetImages = async (url: string, depth: number): Promise<readonly ImageUse[]> => {
    const known = seenSheets.get(url)
    if (known !== undefined || depth > MAX_IMPORT_DEPTH) return known ?? []
    seenSheets.set(url, [])
    const sheet = await textOf(url)
    if (sheet === undefined) return []
    const { images: mentions, imports } = imagesOfStyles(sheet.text)
    const found: ImageUse[] = mentions.flatMap((mention) => {
      const address = absolute(mention, sheet.finalUrl)
      return address === undefined
        ? []
        : [{ url: address, role: 'background', shown: {}, reservesSpace: true, lazy: false } satisfies ImageUse]
    })
    for (const mention of imports) {
      const address = absolute(mention, sheet.finalUrl)
      if (address !== undefined) found.push(...(await sheetImages(address, depth + 1)))
    }
    seenSheets.set(url, found)
    return found
  }
  const add = (use: ImageUse, page: string): void => {
    const known = images.get(use.url) ?? { uses: [], pages: [] }
    images.set(use.url, known)
    known.uses.push(use)
    if (!known.pages.includes(page)) known.pages.push(page)
  }
  for (let url = queue.shift(); url !== undefined && pages.length < maxPages && !signal.aborted; url = queue.shift()) {
    const content = await contentOf(url)
    if (content === undefined) continue
    pages.push(url)
    for (const use of content.images) add(use, url)
    for (const sheet of content.styleSheets) for (const use of await sheetImages(sheet, 1)) add(use, url)
    const { host, protocol } = new URL(content.finalUrl)
    for (const link of content.links) {
      const target = new URL(link)
      if (target.host !== host || target.protocol !== protocol || queued.has(link) || queued.size >= maxPages * 20)
        continue
      queued.add(link)
      queue.push(link)
    }
  }
  return { pages, images, problems }
}
