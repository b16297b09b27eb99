/**
 * Reads pages in Chromium with their scripts. The audit answers every request of a page itself, so robots.txt, the address guard and all
 * limits apply.
 */

import { readFile } from 'node:fs/promises'
import { setTimeout as wait } from 'node:timers/promises'
import { IDLE_MS, TRANSFER_MS } from '../../core/intervals.ts'
import type { FileSource } from '../fetch-files.ts'
import { absolute, type ImageUse, type PageContent } from '../page-content.ts'
import { type BrowserTab, startChromium } from './devtools.ts'
import { READ_SHOWN, SCROLL, type ShownPage, WATCH_LARGEST } from './page-script.ts'

/** Reads rendered pages. Fails when a page cannot be fetched. */
export interface BrowserReader extends AsyncDisposable {
  readonly read: (url: string) => Promise<PageContent & { readonly finalUrl: string }>
}

/** Origin for the files of a folder, since Chromium must not read the disk. The host cannot exist (RFC 2606). */
const FOLDER = 'http://folder.invalid'
const toBrowser = (url: string): string => url.replace(/^file:\/\//, FOLDER)
const fromBrowser = (url: string): string => (url.startsWith(`${FOLDER}/`) ? url.replace(FOLDER, 'file://') : url)

/** Content types for Chromium. It recognises images and fonts itself. */
const TYPES: ReadonlyMap<string, string> = new Map([
  ['Document', 'text/html; charset=utf-8'],
  ['Stylesheet', 'text/css'],
  ['Script', 'text/javascript'],
])

interface Paused {
  readonly requestId: string
  readonly request: { readonly url: string; readonly method: string }
  readonly resourceType: string
}

const answerTo = async ({ requestId, request, resourceType }: Paused, source: FileSource): Promise<object> => {
  const url = fromBrowser(request.url)
  if (request.method !== 'GET') throw new Error('An audit reads only.')
  if (!(await source.allows(url))) throw new Error('robots.txt asks programs not to read it')
  await using file = await source.fetch(url)
  const moved = file.finalUrl !== url
  const type = TYPES.get(resourceType)
  const responseHeaders = [
    { name: 'Access-Control-Allow-Origin', value: '*' },
    ...(moved ? [{ name: 'Location', value: toBrowser(file.finalUrl) }] : []),
    ...(type === undefined ? [] : [{ name: 'Content-Type', value: type }]),
  ]
  const body = moved ? '' : (await readFile(file.path)).toString('base64')
  return { requestId, responseCode: moved ? 302 : 200, responseHeaders, body }
}

/** Answers the requests of all pages. `isIdle`: whether there was none for {@link IDLE_MS}. */
const answerRequests = async (tab: BrowserTab, source: FileSource) => {
  const failures = new Map<string, Error>()
  let open = 0
  let last = performance.now()
  const answer = async (paused: Paused): Promise<void> => {
    open += 1
    try {
      await tab.send('Fetch.fulfillRequest', { ...(await answerTo(paused, source)) })
    } catch (error) {
      failures.set(paused.request.url, error as Error)
      const refusal = { requestId: paused.requestId, errorReason: 'BlockedByClient' }
      await tab.send('Fetch.failRequest', refusal).catch(() => undefined)
    } finally {
      open -= 1
      last = performance.now()
    }
  }
  tab.on('Fetch.requestPaused', (params) => void answer(params as unknown as Paused))
  await tab.send('Fetch.enable', { patterns: [{ urlPattern: '*' }] })
  return { failures, isIdle: () => open === 0 && performance.now() - last > IDLE_MS }
}

const evaluate = async <Value>(tab: BrowserTab, expression: string): Promise<Value> => {
  const { result } = await tab.send('Runtime.evaluate', { expression, awaitPromise: true, returnByValue: true })
  return (result as { value: Value }).value
}

const useOf = (image: ShownPage['images'][number], largest: string): readonly ImageUse[] => {
  const url = absolute(fromBrowser(image.url), 'file:///')
  const { role, width, height, reservesSpace, lazy } = image
  // An image without a size is not visible.
  if (url === undefined || width === 0 || height === 0) return []
  return [
    { url, role, shown: { width, height }, reservesSpace, lazy, ...(image.url === largest ? { isLargest: true } : {}) },
  ]
}

/** Starts Chromium and opens a reader. The viewport has 1350 x 940 CSS px, as in Lighthouse for desktops. */
export const openBrowserReader = async (
  program: string,
  source: FileSource,
  signal: AbortSignal,
): Promise<BrowserReader> => {
  const chromium = await startChromium(program, signal)
  const { tab } = chromium
  const { failures, isIdle } = await answerRequests(tab, source)
  await tab.send('Page.enable')
  await tab.send('Page.addScriptToEvaluateOnNewDocument', { source: WATCH_LARGEST })
  const screen = { width: 1350, height: 940, deviceScaleFactor: 1, mobile: false }
  await tab.send('Emulation.setDeviceMetricsOverride', screen)
  const settle = async (): Promise<void> => {
    const end = performance.now() + TRANSFER_MS
    do await wait(100, undefined, { signal })
    while (!isIdle() && performance.now() < end)
  }
  return {
    read: async (url) => {
      const address = toBrowser(url)
      failures.delete(address)
      await tab.send('Page.navigate', { url: address })
      const failed = failures.get(address)
      if (failed !== undefined) throw failed
      await settle()
      const { largest } = await evaluate<ShownPage>(tab, READ_SHOWN)
      await evaluate(tab, SCROLL)
      await settle()
      const { images, links } = await evaluate<ShownPage>(tab, READ_SHOWN)
      const finalUrl = fromBrowser(await evaluate<string>(tab, 'location.href'))
      return {
        images: images.flatMap((image) => useOf(image, largest)),
        styleSheets: [],
        links: links.flatMap((link) => absolute(fromBrowser(link), finalUrl) ?? []),
        finalUrl,
      }
    },
    [Symbol.asyncDispose]: () => chromium[Symbol.asyncDispose](),
  }
}
