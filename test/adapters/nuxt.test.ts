import { join, relative } from 'node:path'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openChromium } from '../browser/chromium.ts'
import { type DeliveredSite, openDeliveredSite } from './delivered-site.ts'
import type { Ran, Serving, Site } from './site.ts'

let opened: DeliveredSite
let site: Site
let built: Ran
let server: Serving
beforeAll(async () => {
  opened = await openDeliveredSite('nuxt.md')
  site = opened.site
  built = await site.run('nuxt/bin/nuxt.mjs', ['build'])
  const script = relative(join(import.meta.dirname, 'node_modules'), join(site.path, '.output/server/index.mjs'))
  const env = { PORT: `${opened.port}`, HOST: '127.0.0.1', WHITTLE_KEY: opened.key }
  server = await site.serve(script, [], /Listening on/, env)
}, 300_000)
afterAll(async () => {
  await server?.[Symbol.asyncDispose]()
  await opened[Symbol.asyncDispose]()
})

const imagesIn = (page: string): ReadonlyMap<string, string> =>
  new Map(
    [...page.matchAll(/<img [^>]*>/g)].map(([tag]) => [
      /alt="([^"]*)"/.exec(tag)![1]!,
      / src="([^"]*)"/.exec(tag)![1]!,
    ]),
  )

const deliver = async (url: string) => {
  const answer = await fetch(url, { headers: { accept: 'image/avif,image/webp,*/*' } })
  expect(answer.status).toBe(200)
  return sharp(Buffer.from(await answer.arrayBuffer())).metadata()
}

describe('a site built by Nuxt', () => {
  it('is built', () => expect(built, built.output).toMatchObject({ code: 0 }))

  it('shows images by addresses that the service delivers in the size of the attributes', async () => {
    const images = imagesIn(await opened.pageAt('/'))
    const source = (path: string) => encodeURIComponent(`${opened.address}/${path}`)
    expect(images.get('Our own')).toBe(`${opened.service.url}/shop/100x100,crop=auto,quality=high/${source('own.png')}`)
    expect(images.get('Two parrots')).toContain(`${opened.service.url}/`)
    expect(await deliver(images.get('Our own')!)).toMatchObject({ width: 100, height: 100 })
  })

  it('signs in a server component, and keeps the key and the module of signatures out of the browser', async () => {
    const page = await opened.pageAt('/')
    const [signed] = /http[^" ]+\/private-shop\/[^" ]+/.exec(page)!
    expect(signed).toMatch(/\/private-shop\/120,sig=[\w-]{43}\//)
    expect((await deliver(signed)).width).toBe(120)
    const forged = signed.replace(/sig=[\w-]+/, `sig=${'A'.repeat(43)}`)
    expect((await fetch(forged, { headers: { accept: 'image/*' } })).status).toBe(403)
    const sent = site.files('.output/public/_nuxt').map((name) => site.read(`.output/public/_nuxt/${name}`).toString())
    expect(sent.length).toBeGreaterThan(1)
    expect([page, ...sent].filter((text) => text.includes(opened.key))).toEqual([])
  })

  it('shows every image in a browser, after hydration too', async () => {
    const browser = await openChromium()
    try {
      const page = await browser.newPage({ viewport: { width: 600, height: 500 } })
      const problems: string[] = []
      page.on('console', (message) => message.type() === 'error' && problems.push(message.text()))
      page.on('pageerror', (error) => problems.push(error.message))
      await page.goto(opened.address, { waitUntil: 'networkidle' })
      const widths = await page.evaluate(() => [...document.images].map(({ naturalWidth }) => naturalWidth))
      expect([widths, problems]).toEqual([[160, 100, 120], []])
      const { SCREENSHOTS } = process.env
      if (SCREENSHOTS !== undefined) await page.screenshot({ path: join(SCREENSHOTS, 'nuxt.png') })
    } finally {
      await browser.close()
    }
  })
})
