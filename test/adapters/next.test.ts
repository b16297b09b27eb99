import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeSigningKey } from '../../src/core/signing-key.ts'
import { type Case, start } from '../http/start.ts'
import { freePort, makeSite, type Ran, type Serving, type Site } from './site.ts'

const NEXT = 'next/dist/bin/next'
const KEY = makeSigningKey()
const PHOTOS = ['public/own.png', 'public/photos/parrots.png']
/** What browsers send for `<img>`. */
const ACCEPT = 'image/avif,image/webp,image/apng,image/svg+xml,image/*,*/*;q=0.8'

let service: Case
let site: Site
let built: Ran
let server: Serving
let address: string
beforeAll(async () => {
  const port = await freePort()
  address = `http://127.0.0.1:${port}`
  service = await start({
    accounts: { shop: { deliver: [`127.0.0.1:${port}`] }, 'private-shop': { signingKey: KEY } },
  })
  site = makeSite('next.md', PHOTOS, { 'https://images.example.com': service.url, 'https://www.example.com': address })
  built = await site.run(NEXT, ['build'], { WHITTLE_KEY: KEY })
  server = await site.serve(NEXT, ['start', '--port', `${port}`], /Ready in/)
})
afterAll(async () => {
  await server[Symbol.asyncDispose]()
  site[Symbol.dispose]()
  await service[Symbol.asyncDispose]()
})

const pageAt = async (path: string): Promise<string> =>
  (await (await fetch(new URL(path, address))).text()).replaceAll('&amp;', '&')

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
  it('is built', () => expect(built, built.told).toMatchObject({ code: 0 }))

  it('shows images by addresses that the service delivers, in every width', async () => {
    const [photo = [], own = []] = imagesIn(await pageAt('/'))
    expect(photo.length).toBeGreaterThan(5)
    expect(photo.every(([url, width]) => url.startsWith(`${service.url}/shop/${width.replace('w', '')}/`))).toBe(true)
    for (const [url, descriptor] of photo.slice(0, 3)) {
      // The format is whatever a quick first answer had time for.
      expect((await deliver(url)).width).toBe(Math.min(190, Number.parseInt(descriptor, 10)))
    }
    // Without sizes Next.js offers one and two times the width.
    expect(own.map(([, density]) => density)).toEqual(['1x', '2x'])
    expect(own[0]![0]).toBe(`${service.url}/shop/256,quality=high/${encodeURIComponent(`${address}/own.png`)}`)
    expect((await deliver(own[0]![0])).width).toBe(190)
  })

  it('signs on the server, and keeps the key there', async () => {
    const [[first] = []] = imagesIn(await pageAt('/signed'))
    const [url] = first!
    expect(url).toMatch(/\/private-shop\/\d+,sig=[\w-]{43}\//)
    await deliver(url)
    expect(
      (await fetch(url.replace(/sig=[\w-]+/, `sig=${'A'.repeat(43)}`), { headers: { accept: ACCEPT } })).status,
    ).toBe(403)
    const sent = site.files('.next/static').map((name) => site.read(`.next/static/${name}`).toString())
    expect(sent.length).toBeGreaterThan(3)
    expect(sent.filter((text) => text.includes(KEY) || text.includes('createHmac'))).toEqual([])
  })
})
