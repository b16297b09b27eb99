import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { build } from 'esbuild'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type * as Client from '../../packages/client/src/client.ts'
import { type Case, start } from '../http/start.ts'
import { openChromium } from './chromium.ts'

declare const client: typeof Client

const ENTRY = join(import.meta.dirname, '../../packages/client/src/client.ts')

const pages = createServer((_, response) => {
  response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><title>Page</title>')
})

let service: Case
let browser: Browser
let page: Page
beforeAll(async () => {
  service = await start()
  browser = await openChromium()
  page = await browser.newPage()
  // A page of another origin that has only the client.
  await new Promise<void>((ready) => pages.listen(0, '127.0.0.1', ready))
  await page.goto(`http://127.0.0.1:${(pages.address() as AddressInfo).port}/`)
  const { outputFiles } = await build({
    entryPoints: [ENTRY],
    bundle: true,
    format: 'iife',
    globalName: 'client',
    platform: 'browser',
    write: false,
  })
  await page.addScriptTag({ content: outputFiles[0]!.text })
})
afterAll(async () => {
  await browser?.close()
  pages.close()
  await service?.[Symbol.asyncDispose]()
})

it('uploads a canvas, and receives an image', async () => {
  const shown = await page.evaluate(async (base) => {
    const canvas = Object.assign(document.createElement('canvas'), { width: 120, height: 90 })
    const context = canvas.getContext('2d')!
    const colours = context.createLinearGradient(0, 0, 120, 90)
    for (const [at, colour] of ['#036', '#f93', '#fff'].entries()) colours.addColorStop(at / 2, colour)
    context.fillStyle = colours
    context.fillRect(0, 0, 120, 90)
    const drawn = await new Promise<Blob>((done) => canvas.toBlob((blob) => done(blob!)))
    const blob = await client.whittle(base, 'anna').upload(drawn, 'drawn.png').resize(60).toBlob()
    const { width, height } = await createImageBitmap(blob)
    return { type: blob.type, width, height, smaller: blob.size < drawn.size }
  }, service.url)
  expect(shown).toEqual({ type: expect.stringMatching(/^image\/(jpeg|png)$/), width: 60, height: 45, smaller: true })
})

it('reads scores, warnings and refusals across origins', async () => {
  const told = await page.evaluate(
    async ({ base, photo }) => {
      const { score, sourceBytes } = await client.whittle(base, 'anna').url(photo).resize(40).fetch()
      const info = await client.whittle(base, 'anna').url(photo).info()
      const refused = await client
        .whittle(base, 'nobody')
        .url(photo)
        .fetch()
        .catch((error: Client.WhittleError) => error)
      return {
        scored: score! > 50,
        sourceBytes,
        width: info.width,
        refused: refused instanceof client.WhittleError && refused.code,
      }
    },
    { base: service.url, photo: service.file('jpeg/kodim23-190x158.png') },
  )
  expect(told).toMatchObject({ scored: true, width: 190, refused: 'IM2ACCOUNT' })
  expect(told.sourceBytes).toBeGreaterThan(10_000)
})

it('signs with Web Crypto as in Node', async () => {
  const { whittle } = await import('../../packages/client/src/client.ts')
  const sign = (images: typeof Client) =>
    images.whittle('https://images.e.com', 'shop').url('https://e.com/é.png').signed('key')
  const signed = await page.evaluate(() =>
    client.whittle('https://images.e.com', 'shop').url('https://e.com/é.png').signed('key'),
  )
  expect(signed).toBe(await sign({ whittle } as typeof Client))
})
