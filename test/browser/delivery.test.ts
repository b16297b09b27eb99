import { mkdir } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Case, start } from '../http/start.ts'
import { openChromium } from './chromium.ts'

const SOURCES = [
  'jpeg/kodim23-190x158.png',
  'jpeg/kodim05-190x158.png',
  'jpeg/squoosh__screenshot2.jpg',
  'jpeg/thumbor__grayscale-icc.jpg',
]
const IMAGES = 40

let browser: Browser
let service: Case
beforeAll(async () => {
  browser = await openChromium()
  // The origin's port is known only after its start, so the test lists it.
  service = await start({ accounts: { shop: {} } })
})
afterAll(async () => {
  await browser?.close()
  await service?.[Symbol.asyncDispose]()
})

/** Starts a web server with one page that shows all images, each in another size. */
const startPage = async (addresses: readonly string[]): Promise<AsyncDisposable & { readonly url: string }> => {
  const images = addresses.map((src, i) => `<img src="${src}" alt="${i}" width="150" height="120">`).join('\n')
  const html = `<!doctype html><title>Shop</title><style>img{object-fit:cover;margin:4px}</style>${images}`
  const server = createServer((_, response) => void response.writeHead(200, { 'content-type': 'text/html' }).end(html))
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      await new Promise((closed) => server.close(closed))
    },
  }
}

interface Shown {
  readonly src: string
  readonly width: number
  readonly complete: boolean
}

const shownOn = (page: Page): Promise<readonly Shown[]> =>
  page.evaluate(() =>
    [...document.images].map(({ src, naturalWidth, complete }) => ({ src, width: naturalWidth, complete })),
  )

/** Bytes of a page's images that were transferred over the network, without cached ones. */
const transferred = (page: Page): Promise<readonly number[]> =>
  page.evaluate(() =>
    performance
      .getEntriesByType('resource')
      .map((entry) => entry as PerformanceResourceTiming)
      .filter(({ initiatorType }) => initiatorType === 'img')
      .map(({ transferSize }) => transferSize),
  )

it('a page of 40 images gets quick results, then smaller ones, and then uses its cache (§8)', async () => {
  const { openSqliteAccounts } = await import('../../src/adapters/accounts/sqlite.ts')
  const books = await openSqliteAccounts({ path: join(service.dataDir, 'accounts.sqlite'), trialQuota: 1 })
  await books.set('shop', { deliver: [`127.0.0.1:${service.origin.port}`] })
  await books.close()
  const addresses = Array.from({ length: IMAGES }, (_, i) => {
    const source = SOURCES[i % SOURCES.length]!
    return `${service.url}/shop/${100 + i}x90,crop/${service.file(source)}`
  })
  await using shop = await startPage(addresses)
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } })
  const page = await context.newPage()
  const statuses: number[] = []
  let asked: Promise<string | null> | undefined
  page.on('response', (response) => {
    if (!response.url().startsWith(service.url)) return
    statuses.push(response.status())
    asked ??= response.request().headerValue('accept')
  })

  await page.goto(shop.url, { waitUntil: 'load' })
  const first = await shownOn(page)
  expect(first.map(({ complete, width }) => [complete, width])).toEqual(addresses.map((_, i) => [true, 100 + i]))
  expect(new Set(statuses)).toEqual(new Set([200]))
  const firstBytes = (await transferred(page)).reduce((sum, bytes) => sum + bytes, 0)
  if (process.env['SCREENSHOTS'] !== undefined) {
    await mkdir(process.env['SCREENSHOTS'], { recursive: true })
    await page.screenshot({ path: join(process.env['SCREENSHOTS'], 'delivery-first.png') })
  }

  // The browser's own header. Another one would request other results, which are charged too.
  const accept = (await asked) ?? ''
  expect(accept).toContain('image/webp')
  const waiting = async (): Promise<number> => {
    const answers = await Promise.all(
      addresses.map((address) => fetch(address, { method: 'HEAD', headers: { accept } })),
    )
    return answers.filter(({ headers }) => headers.get('cache-control') !== 'public, max-age=31536000').length
  }
  await expect.poll(waiting, { timeout: 240_000, interval: 1000 }).toBe(0)

  const again = await browser.newContext({ viewport: { width: 1440, height: 900 } })
  const second = await again.newPage()
  const types = new Set<string | undefined>()
  second.on('response', (response) => void types.add(response.headers()['content-type']))
  await second.goto(shop.url, { waitUntil: 'load' })
  const secondBytes = (await transferred(second)).reduce((sum, bytes) => sum + bytes, 0)
  expect((await shownOn(second)).every(({ complete, width }) => complete && width >= 100)).toBe(true)
  expect(secondBytes).toBeLessThan(firstBytes)
  expect([...types]).toContain('image/webp')
  if (process.env['SCREENSHOTS'] !== undefined)
    await second.screenshot({ path: join(process.env['SCREENSHOTS'], 'delivery-second.png') })

  await second.goto('about:blank')
  await second.goto(shop.url, { waitUntil: 'load' })
  expect(await transferred(second)).toEqual(Array<number>(IMAGES).fill(0))
  // Each of four sources was fetched at most once per variant, and each result charged once.
  const opened = await openSqliteAccounts({ path: join(service.dataDir, 'accounts.sqlite'), trialQuota: 1 })
  expect((await opened.find('shop'))?.used).toBe(IMAGES)
  await opened.close()
  await Promise.all([context.close(), again.close()])
}, 400_000)
