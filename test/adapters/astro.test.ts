import { mkdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeSigningKey } from '../../src/core/signing-key.ts'
import { freePort } from '../cluster/servers/process.ts'
import { type Case, FIXTURES, start } from '../http/start.ts'
import { MANIFEST, makeSite, NOWHERE, type Ran, type Site } from './site.ts'

const KEY = makeSigningKey()
const PHOTOS = ['src/parrots.png', 'delivery/src/parrots.png', 'delivery/dist/photos/far.png']

let service: Case
let sitePort: number
beforeAll(async () => {
  sitePort = await freePort()
  service = await start({
    accounts: { demo: {}, shop: { deliver: [`127.0.0.1:${sitePort}`] }, 'private-shop': { signingKey: KEY } },
  })
})
afterAll(() => service[Symbol.asyncDispose]())

const siteAt = (base: string): Site =>
  makeSite('astro.md', PHOTOS, {
    'http://127.0.0.1:8080': base,
    'https://images.example.com': base,
    'https://www.example.com': `http://127.0.0.1:${sitePort}`,
    "domains: ['www.example.com']": "domains: ['127.0.0.1']",
  })

const build = (site: Site, folder = '.', env: Record<string, string> = {}): Promise<Ran> =>
  site.run('astro/bin/astro.mjs', ['build', '--root', folder], env)

/** Addresses in a page, each with what its candidate says of the width. */
const candidatesIn = (page: string): readonly (readonly [string, string])[] =>
  [...page.matchAll(/srcset="([^"]*)"/g)].flatMap(([, srcset = '']) =>
    srcset.split(', ').map((each) => each.replaceAll('&#38;', '&').split(' ') as [string, string]),
  )

describe('a build', () => {
  it('writes the page of the guide, and sends no requests in a second build', async () => {
    await using own = await start({ accounts: { demo: {} } })
    using site = siteAt(own.url)
    const first = await build(site)
    expect(first, first.output).toMatchObject({ code: 0 })
    const page = site.read('dist/index.html').toString()
    const metadataAt = (url: string) => sharp(site.read(join('dist', url))).metadata()

    const widths = candidatesIn(page).filter(([, descriptor]) => descriptor?.endsWith('w'))
    expect(widths.map(([, descriptor]) => descriptor)).toEqual(['80w', '160w'])
    for (const [url, descriptor] of widths)
      expect(await metadataAt(url)).toMatchObject({ format: 'webp', width: Number.parseInt(descriptor, 10) })

    const [, banner = ''] = /<img src="([^"]+)"[^>]*alt="A banner"[^>]*width="120" height="50"/.exec(page) ?? []
    expect(await metadataAt(banner)).toMatchObject({ format: 'jpeg', width: 120, height: 50 })
    const sources = [...page.matchAll(/<source srcset="([^" ]+)[^"]*" type="image\/(\w+)"/g)]
    expect(sources.map(([, , type]) => type)).toEqual(['avif', 'webp'])
    for (const [, url = ''] of sources) expect(await metadataAt(url)).toMatchObject({ width: 100, height: 83 })

    const made = site.files('dist')
    await own.stop()
    expect(await build(site)).toMatchObject({ code: 0, output: expect.stringContaining('reused cache entry') })
    expect(site.files('dist')).toEqual(made)
  })

  it('fails when the service cannot be reached, or uses originals with onError', async () => {
    using site = siteAt(NOWHERE)
    const failed = await build(site)
    expect(failed.code).toBe(1)
    expect(failed.output).toContain(
      `was not optimised: the Whittle service at ${NOWHERE} cannot be reached (ECONNREFUSED)`,
    )
    const config = site.read('astro.config.mjs').toString()
    site.write(
      'astro.config.mjs',
      config.replace("account: 'demo'", "account: 'demo', onError: 'original', retries: 0"),
    )
    const built = await build(site)
    expect(built, built.output).toMatchObject({ code: 0, output: expect.stringContaining('cannot be reached') })
    const [[url = ''] = []] = candidatesIn(site.read('dist/index.html').toString())
    expect(site.read(join('dist', url)).equals(site.read('src/parrots.png'))).toBe(true)
  })

  it.each([
    ['quality="best"', 'quality=&quot;best&quot; is wrong: expected low, medium'],
    ['width={9} height={9} fit="cover" position="upwards"', 'position="upwards" is wrong'],
  ])('fails on %s', async (attributes, sentence) => {
    using site = siteAt(NOWHERE)
    site.write(
      'src/pages/index.astro',
      `---\nimport { Image } from 'astro:assets'\nimport a from '../parrots.png'\n---\n<Image src={a} alt="" ${attributes} />`,
    )
    expect(await build(site)).toMatchObject({
      code: 1,
      output: expect.stringContaining(sentence.replaceAll('&quot;', '"')),
    })
  })
})

describe('live delivery', () => {
  it.each([
    ['by the list of hosts', 'shop', '', /\/shop\/\d+\//],
    ['by signatures', 'private-shop', ", keyVariable: 'SHOP_KEY'", /\/private-shop\/\d+,sig=[\w-]{43}\//],
  ])('is addressed by a built site: %s', async (_, account, settings, address) => {
    using site = siteAt(service.url)
    const config = site.read('delivery/astro.config.mjs').toString()
    site.write('delivery/package.json', MANIFEST)
    site.write('delivery/astro.config.mjs', config.replace("account: 'shop'", `account: '${account}'${settings}`))
    const built = await build(site, 'delivery', { SHOP_KEY: KEY })
    expect(built, built.output).toMatchObject({ code: 0 })
    const page = site.read('delivery/dist/index.html').toString()
    mkdirSync(join(site.path, 'delivery/dist/photos'), { recursive: true })
    const server = createServer((request, response) => {
      const isFar = request.url === '/photos/far.png'
      const path = isFar
        ? join(FIXTURES, 'jpeg/kodim05-190x158.png')
        : join(site.path, 'delivery/dist', request.url ?? '')
      response.end(readFileSync(path))
    })
    await new Promise<void>((done) => server.listen(sitePort, '127.0.0.1', done))
    try {
      const candidates = candidatesIn(page)
      expect(candidates.map(([, descriptor]) => descriptor)).toEqual(['80w', '160w'])
      for (const [url, descriptor] of candidates) {
        expect(url).toMatch(address)
        const answer = await fetch(url, { headers: { accept: 'image/avif,image/webp,*/*' } })
        expect(answer.status).toBe(200)
        const { width } = await sharp(Buffer.from(await answer.arrayBuffer())).metadata()
        expect(`${width}w`).toBe(descriptor)
      }
      const [, far = ''] = /<img src="([^"]+)" alt="From elsewhere"/.exec(page) ?? []
      const answer = await fetch(far)
      expect(await sharp(Buffer.from(await answer.arrayBuffer())).metadata()).toMatchObject({ width: 120, height: 50 })
    } finally {
      server.closeAllConnections()
      await new Promise((done) => server.close(done))
    }
  })
})
