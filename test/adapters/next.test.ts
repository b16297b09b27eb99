import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type DeliveredSite, openDeliveredSite } from './delivered-site.ts'
import type { Ran, Serving, Site } from './site.ts'

const NEXT = 'next/dist/bin/next'
/** Browsers' Accept for `<img>`. */
const ACCEPT = 'image/avif,image/webp,image/apng,image/svg+xml,image/*,*/*;q=0.8'

let opened: DeliveredSite
let site: Site
let built: Ran
let server: Serving
beforeAll(async () => {
  opened = await openDeliveredSite('next.md')
  site = opened.site
  built = await site.run(NEXT, ['build'], { WHITTLE_KEY: opened.key })
  server = await site.serve(NEXT, ['start', '--port', `${opened.port}`], /Ready in/)
})
afterAll(async () => {
  await server?.[Symbol.asyncDispose]()
  await opened[Symbol.asyncDispose]()
})

/** The images of a page, as `[address, descriptor]` of each candidate. */
const imagesIn = (page: string): readonly (readonly (readonly [string, string])[])[] =>
  [...page.matchAll(/<img [^>]*srcset="([^"]*)"/gi)].map(([, srcset = '']) =>
    srcset.split(', ').map((each) => each.split(' ') as [string, string]),
  )

const deliver = async (url: string) => {
  const answer = await fetch(url, { headers: { accept: ACCEPT } })
  expect(answer.status).toBe(200)
  return sharp(Buffer.from(await answer.arrayBuffer())).metadata()
}

describe('a built site', () => {
  it('is built', () => expect(built, built.output).toMatchObject({ code: 0 }))

  it('shows images by addresses that the service delivers, in every width', async () => {
    const [photo = [], own = []] = imagesIn(await opened.pageAt('/'))
    expect(photo.length).toBeGreaterThan(5)
    expect(photo.every(([url, width]) => url.startsWith(`${opened.service.url}/shop/${width.replace('w', '')}/`))).toBe(
      true,
    )
    for (const [url, descriptor] of photo.slice(0, 3)) {
      // The format is whatever a quick first answer had time for.
      expect((await deliver(url)).width).toBe(Math.min(190, Number.parseInt(descriptor, 10)))
    }
    // Without sizes Next.js offers one and two times the width.
    expect(own.map(([, density]) => density)).toEqual(['1x', '2x'])
    expect(own[0]![0]).toBe(
      `${opened.service.url}/shop/256,quality=high/${encodeURIComponent(`${opened.address}/own.png`)}`,
    )
    expect((await deliver(own[0]![0])).width).toBe(190)
  })

  it('signs on the server, and keeps the key there', async () => {
    const [[first] = []] = imagesIn(await opened.pageAt('/signed'))
    const [url] = first!
    expect(url).toMatch(/\/private-shop\/\d+,sig=[\w-]{43}\//)
    await deliver(url)
    expect(
      (await fetch(url.replace(/sig=[\w-]+/, `sig=${'A'.repeat(43)}`), { headers: { accept: ACCEPT } })).status,
    ).toBe(403)
    const sent = site.files('.next/static').map((name) => site.read(`.next/static/${name}`).toString())
    expect(sent.length).toBeGreaterThan(3)
    expect(sent.filter((text) => text.includes(opened.key) || text.includes('createHmac'))).toEqual([])
  })
})
