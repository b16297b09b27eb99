/** An audit finds images of a site or folder that could be smaller at the same perceived quality, and measures by how much. */
import { createHash } from 'node:crypto'
import { mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { uprightExtent } from '../core/image.ts'
import type { Optimiser } from '../library/optimiser.ts'
import { identify } from '../source/identify.ts'
import { isFolder } from '../support/is-folder.ts'
import { removeDirectory } from '../support/remove.ts'
import { openBrowserReader } from './browser/read-in-browser.ts'
import { rememberFiles } from './browser/remember-files.ts'
import { type FileSource, openFolder, openSite, pagesIn } from './fetch-files.ts'
import { type AuditedImage, inOrder, type Measured, optionsFor } from './findings.ts'
import type { ImageUse } from './page-content.ts'
import { isTimeOver, type ReadPages, readPages } from './read-pages.ts'
import { reasonOf } from './reason-of.ts'

export interface AuditSettings {
  readonly preset: string
  readonly maxPages: number
  readonly maxImages: number
  /** Bytes of one file, and of all files together. */
  readonly maxFileBytes: number
  readonly maxTotalBytes: number
  /** ms between two requests. */
  readonly pauseMs: number
  /** Whether the host of `target` may have a private address. Other hosts never may. */
  readonly allowPrivate: boolean
  /** Path of Chromium, which reads pages with their scripts. Default: only HTML and CSS are read. */
  readonly chromium?: string | undefined
  readonly signal: AbortSignal
  readonly optimiser: Optimiser
  /** Called after each image. */
  readonly onProgress?: (progress: AuditProgress) => void
  /** Directory for sources and results of a report. Default: they are not kept. */
  readonly keepIn?: string
}

export interface AuditProgress {
  readonly done: number
  readonly of: number
  readonly url: string
}

export interface Audit extends Pick<ReadPages, 'pages' | 'problems'> {
  readonly target: string
  readonly preset: string
  /** The probable largest contentful paint first, then by bytes saved. */
  readonly images: readonly AuditedImage[]
  /** Number of images that were not measured because of `maxImages` or the time. */
  readonly leftOut: number
  /** Whether the time ended before all images were measured. */
  readonly cutShort: boolean
}

/** File names of an image's source and result below `keepIn`. */
export const keptNames = (url: string): { readonly source: string; readonly result: string } => {
  const name = createHash('sha256').update(url).digest('hex').slice(0, 20)
  return { source: `${name}.source`, result: `${name}.result` }
}

const measure = async (
  path: string,
  uses: readonly ImageUse[],
  { preset, optimiser, signal }: AuditSettings,
): Promise<{ measured: Measured; bytes: Uint8Array }> => {
  const facts = await identify(path)
  const { width, height } = uprightExtent(facts, facts.orientation)
  const options = optionsFor(uses, width, preset)
  const result = await optimiser.optimiseFile(path, options, { signal })
  const measured: Measured = {
    kind: 'measured',
    format: facts.format,
    bytes: facts.bytes,
    width,
    height,
    ...(facts.jpeg === undefined ? {} : { jpegQuality: facts.jpeg.quality }),
    result: {
      options,
      format: result.format,
      contentType: result.contentType,
      bytes: result.bytes.length,
      width: result.width,
      height: result.height,
      ...(result.score === undefined ? {} : { score: result.score }),
      ...(result.butteraugli === undefined ? {} : { butteraugli: result.butteraugli }),
    },
  }
  return { measured, bytes: result.bytes }
}

const auditImage = async (
  source: FileSource,
  url: string,
  { uses, pages }: { readonly uses: readonly ImageUse[]; readonly pages: readonly string[] },
  settings: AuditSettings,
): Promise<AuditedImage> => {
  try {
    if (!(await source.allows(url))) throw new Error('robots.txt asks programs not to read it')
    await using file = await source.fetch(url)
    const { measured, bytes } = await measure(file.path, uses, settings)
    if (settings.keepIn !== undefined) {
      const names = keptNames(url)
      await writeFile(join(settings.keepIn, names.source), await readFile(file.path))
      await writeFile(join(settings.keepIn, names.result), bytes)
    }
    return { url, uses, pages, measured }
  } catch (error) {
    if (!isTimeOver(settings.signal)) settings.signal.throwIfAborted()
    return { url, uses, pages, measured: { kind: 'failed', reason: reasonOf(error) } }
  }
}

/** Whether a target is the address of a site, not a folder. */
export const isAddress = (target: string): boolean => /^https?:\/\//i.test(target)

const openTarget = async (
  target: string,
  directory: string,
  settings: AuditSettings,
): Promise<{ readonly source: FileSource; readonly starts: readonly string[] }> => {
  const { maxFileBytes, maxTotalBytes, pauseMs, allowPrivate, signal } = settings
  const url = isAddress(target) ? URL.parse(target) : null
  if (url !== null) {
    const source = await openSite(url, { directory, maxFileBytes, maxTotalBytes, pauseMs, allowPrivate, signal })
    return { source, starts: [url.href] }
  }
  if (!(await isFolder(target)))
    throw new Error(`"${target}" is neither a folder here nor an address. Addresses start with http:// or https://.`)
  return { source: await openFolder(target, maxFileBytes), starts: await pagesIn(target) }
}

const readTarget = async (target: string, directory: string, settings: AuditSettings) => {
  const opened = await openTarget(target, directory, settings)
  const { chromium, signal } = settings
  if (chromium === undefined)
    return { source: opened.source, read: await readPages(opened.source, opened.starts, settings) }
  // The audit removes `directory` with the files.
  const source = rememberFiles(opened.source)
  await using browser = await openBrowserReader(chromium, source, signal)
  return { source, read: await readPages(source, opened.starts, { ...settings, browser }) }
}

const nothingRead = ([first]: ReadPages['problems'], target: string): Error =>
  new Error(
    first === undefined ? `There is no HTML page in ${target}.` : `${first.url} cannot be read: ${first.reason}`,
  )

/** Audits an address or a folder. Fails when no page can be read, or with the signal's reason. After a timeout, returns the results so far. */
export const audit = async (target: string, settings: AuditSettings): Promise<Audit> => {
  const directory = await mkdtemp(join(tmpdir(), 'whittle-audit-'))
  try {
    await mkdir(directory, { recursive: true })
    const { signal } = settings
    const { source, read } = await readTarget(target, directory, settings)
    if (read.pages.length === 0) throw nothingRead(read.problems, target)
    const chosen = [...read.images].slice(0, settings.maxImages)
    const images: AuditedImage[] = []
    for (const [url, found] of chosen) {
      if (isTimeOver(signal)) break
      settings.onProgress?.({ done: images.length, of: chosen.length, url })
      images.push(await auditImage(source, url, found, settings))
    }
    const { pages, problems } = read
    return {
      target,
      preset: settings.preset,
      pages,
      problems,
      images: inOrder(images),
      leftOut: read.images.size - images.length,
      cutShort: isTimeOver(signal),
    }
  } finally {
    await removeDirectory(directory)
  }
}
