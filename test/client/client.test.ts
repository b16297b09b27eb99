import { openAsBlob, readdirSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { build } from 'esbuild'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { placeholderStyle, WhittleError, whittle } from '../../packages/client/src/client.ts'
import { blurProps } from '../../packages/client/src/next/blur.ts'
import { retryDelay } from '../../packages/client/src/send.ts'
import { makeSigningKey, readSigningKey } from '../../src/core/signing-key.ts'
import { signerOf, splitSignature } from '../../src/service/deliver/delivery-right.ts'
import { type Case, FIXTURES, start } from '../http/start.ts'

const PHOTO = join(FIXTURES, 'jpeg/kodim23-190x158.png')

const SHOP_KEY = makeSigningKey()

let service: Case
let place: string
beforeAll(async () => {
  service = await start({ accounts: { shop: { signingKey: SHOP_KEY } } })
  place = await mkdtemp(join(tmpdir(), 'whittle-client-'))
})
afterAll(async () => {
  await service[Symbol.asyncDispose]()
  await rm(place, { recursive: true })
})

describe('a request', () => {
  const images = whittle('http://e.com/prefix/', 'anna')
  it.each([
    [images.url('http://o.com/a b.png'), 'full'],
    [images.url('x').resize(800, 600).crop('auto').quality('high'), '800x600,crop=auto,quality=high'],
    // biome-ignore lint/suspicious/noFocusedTests: a way to resize
    [images.url('x').quality('high').density(2).resize(undefined, 300).fit(), 'x300,2x,fit,quality=high'],
    [images.url('x').resize(9, 9).crop({ x: 0.5, y: 0.25 }), '9x9,crop=0.5x0.25'],
    [images.url('x').resize(9, 9).crop().crop('left'), '9x9,crop=left'],
    [
      images.url('x').resize(9, 9).pad('F60').trim().format('webp').timeout(5),
      '9x9,pad,trim=border,bgcolor=F60,format=webp,timeout=5',
    ],
    [images.url('x').preset('card').quality('high'), 'preset=card,quality=high'],
    [images.url('x').maxBytes(20_000), 'full,max-bytes=20000'],
    [images.url('x').keepCopyright().wideGamut(), 'full,gamut=p3,meta=copyright'],
    [images.url('x').wideGamut().format('avif'), 'full,format=avif,gamut=p3'],
  ])('is written as the option list %#', (request, list) => expect(request.options()).toBe(list))

  it('has an address with the percent-encoded image address', () => {
    expect(images.url('http://o.com/a b.png?x=1').address()).toBe(
      'http://e.com/prefix/anna/full/http%3A%2F%2Fo.com%2Fa%20b.png%3Fx%3D1',
    )
    expect(images.upload(new Uint8Array(1)).resize(9).address()).toBe('http://e.com/prefix/anna/9')
  })

  it('returns a request for each file of a srcset', () => {
    const { srcset, images: variants } = images
      .url('x')
      .quality('low')
      .srcset([400, 800], (width) => `a ${width}.jpg`)
    expect(srcset).toBe('a%20400.jpg 400w, a%20800.jpg 800w')
    expect(variants.map(({ request }) => request.options())).toEqual(['400,quality=low', '800,quality=low'])
  })
})

describe('live delivery', () => {
  it('signs addresses as the service does', async () => {
    const key = makeSigningKey()
    for (const source of ['https://o.com/a b.png?x=1', 'HTTP://o.com/\u00e9.png', 'https://o.com/a%20b.png']) {
      const request = whittle('http://e.com', 'anna').url(source).resize(300, 200).crop({ x: 0.5, y: 0.25 })
      const address = await request.signed(key)
      const [, list = '', imageUrl = ''] = /\/anna\/([^/]*)\/(.*)$/.exec(address) ?? []
      const { list: plain, signature } = splitSignature(list)
      expect(plain).toBe('300x200,crop=0.5x0.25')
      expect(signerOf([readSigningKey(key)!], { username: 'anna', list: plain, imageUrl }, signature!)).toBeDefined()
    }
    const until = new Date('2030-01-01T00:00:00Z')
    const expiring = await whittle('http://e.com', 'anna').url('https://o.com/a.png').resize(300).signed(key, until)
    const [, segment = '', imageUrl = ''] = /\/anna\/([^/]*)\/(.*)$/.exec(expiring) ?? []
    const { list, expires, signature } = splitSignature(segment)
    expect([list, expires]).toEqual(['300,exp=1893456000', 1893456000])
    expect(signerOf([readSigningKey(key)!], { username: 'anna', list, imageUrl }, signature!)).toBeDefined()
    await expect(whittle('http://e.com', 'anna').upload(new Uint8Array(1)).signed(key)).rejects.toThrow('uploads')
  })

  it('signs no options with a slash, which would sign another source', async () => {
    const request = whittle('http://e.com', 'shop').url('http://good.com/a.png').background('fff/http://bad.com/b.png?')
    await expect(request.signed(SHOP_KEY)).rejects.toThrow('hold a slash')
  })

  it('returns addresses that a running service delivers, in every width of a srcset', async () => {
    const image = whittle(service.url, 'shop').url(service.file('jpeg/kodim23-190x158.png')).resize(40, 20).crop()
    const srcset = await image.liveSrcset([16, 32], SHOP_KEY)
    expect(srcset).not.toMatch(/[<>"'&]/)
    const widths: number[][] = []
    for (const candidate of srcset.split(', ')) {
      const [address = '', descriptor] = candidate.split(' ')
      const answer = await fetch(address)
      expect(answer.status).toBe(200)
      const { width, height } = await sharp(Buffer.from(await answer.arrayBuffer())).metadata()
      expect(descriptor).toBe(`${width}w`)
      widths.push([width, height])
    }
    expect(widths).toEqual([
      [16, 8],
      [32, 16],
    ])
    expect((await fetch(await image.signed(makeSigningKey()))).status).toBe(403)
    expect((await fetch(image.address())).status).toBe(403)
    expect((await fetch(await image.signed(SHOP_KEY))).status).toBe(200)
    expect(await image.liveSrcset([16])).toBe(`${image.resize(16, 8).address()} 16w`)
  })

  it('returns the placeholder under the names of Next.js and ThumbHash', async () => {
    const image = whittle(service.url, 'anna').url(service.file('jpeg/kodim23-190x158.png'))
    const [told, placeholder] = [await image.info(), await image.placeholder()]
    const { width, height, thumbHash, dominantColour, preview: blurDataURL } = told
    expect(placeholder).toEqual({ width, height, thumbHash, dominantColour, blurDataURL })
    expect(placeholderStyle('color', placeholder)).toBe(`background-color:${dominantColour}`)
    expect(placeholderStyle('blur', placeholder)).toContain(`url(${blurDataURL}) center/cover`)
    const settings = { base: service.url, account: 'anna', site: service.origin.url('/') }
    expect(await blurProps(settings, '/file/jpeg/kodim23-190x158.png')).toEqual({
      placeholder: 'blur',
      blurDataURL,
      width: 190,
      height: 158,
    })
  })

  it('returns information about an address and an upload', async () => {
    const images = whittle(service.url, 'anna')
    const told = await images.url(service.file('jpeg/kodim23-190x158.png')).info()
    expect([told.width, told.height, told.format]).toEqual([190, 158, 'png'])
    expect(await images.upload(await openAsBlob(PHOTO)).info()).toEqual(told)
    await expect(images.url(service.origin.url('/status/404')).info()).rejects.toMatchObject({ status: 404 })
  })
})

describe('a running service', () => {
  it('optimises an image by address and writes it to a file', async () => {
    const path = join(place, 'photo.jpg')
    const result = await whittle(service.url, 'anna')
      .url(service.file('jpeg/kodim23-190x158.png'))
      .resize(30)
      .format('jpeg')
      .toFile(path)
    expect(result).toMatchObject({ contentType: 'image/jpeg', warnings: [] })
    expect([result.score! > 60, result.sourceBytes === readFileSync(PHOTO).length]).toEqual([true, true])
    expect(readFileSync(path).equals(result.bytes)).toBe(true)
    expect(readdirSync(place)).toEqual(['photo.jpg'])
  })

  it('writes whole files when two requests write the same one, and leaves nothing of one that fails', async () => {
    const folder = await mkdtemp(join(place, 'same-'))
    const path = join(folder, 'a')
    const bodies = [new Uint8Array(3e6).fill(1), new Uint8Array(9e6).fill(2)]
    const writers = bodies.map((body) =>
      whittle('http://e.com', 'a', { fetch: async () => new Response(body) }).url('x'),
    )
    await Promise.all(writers.map((writer) => writer.toFile(path)))
    const written = new Uint8Array(readFileSync(path))
    expect(bodies.some((body) => Buffer.compare(body, written) === 0)).toBe(true)
    await expect(writers[0]!.toFile(folder)).rejects.toThrow('EISDIR')
    expect([readdirSync(folder), readdirSync(place).filter((name) => name.endsWith('.part'))]).toEqual([['a'], []])
  })

  it('writes a name as long as a disk allows, and gives the reason where it cannot write', async () => {
    const folder = await mkdtemp(join(place, 'long-'))
    const image = whittle('http://e.com', 'a', { fetch: async () => new Response('bytes') }).url('x')
    await image.toFile(join(folder, 'n'.repeat(255)))
    expect(readFileSync(join(folder, 'n'.repeat(255)), 'utf8')).toBe('bytes')
    await expect(image.toFile(join(folder, 'n'.repeat(255), 'a'))).rejects.toThrow(/ENOTDIR: not a directory, open/)
  })

  it('accepts bytes, a Blob and a stream', async () => {
    const images = whittle(service.url, 'anna')
    const bodies = [
      new Uint8Array(readFileSync(PHOTO)),
      await openAsBlob(PHOTO),
      Readable.toWeb(Readable.from([readFileSync(PHOTO)])) as unknown as ReadableStream<Uint8Array>,
    ]
    const results = await Promise.all(bodies.map((body) => images.upload(body).resize(30).toBytes()))
    expect(results[0]!.length).toBeGreaterThan(100)
    for (const result of results) expect(Buffer.from(result).equals(results[0]!)).toBe(true)
  })

  it("passes on the service's error message", async () => {
    const image = new Uint8Array(readFileSync(PHOTO))
    await expect(whittle(service.url, 'nobody').upload(image).fetch()).rejects.toMatchObject({
      name: 'WhittleError',
      status: 403,
      code: 'IM2ACCOUNT',
    })
    const text = new TextEncoder().encode('text')
    const error = await whittle(service.url, 'anna')
      .upload(text)
      .toBlob()
      .catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(WhittleError)
    expect(error).toMatchObject({
      status: 415,
      code: undefined,
      message: expect.stringContaining('it looks like plain text'),
    })
  })

  it('follows the redirect of a result that takes longer', async () => {
    await using slow = await start({ env: { REDIRECT_AFTER: '0', WORKERS: '1' } })
    const blob = await whittle(slow.url, 'anna')
      .upload(new Uint8Array(readFileSync(PHOTO)))
      .resize(30)
      .format('jpeg')
      .toBlob()
    expect(blob.type).toBe('image/jpeg')
  })
})

describe('a busy service', () => {
  const busy = async (answers: readonly [number, Record<string, string>][]) => {
    let asked = 0
    const server = createServer((request, response) => {
      request.resume().on('end', () => {
        const [status, headers] = answers[Math.min(asked, answers.length - 1)]!
        asked += 1
        response.writeHead(status, headers).end(status === 200 ? 'image' : 'busy')
      })
    })
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
    const { port } = server.address() as AddressInfo
    return {
      url: `http://127.0.0.1:${port}`,
      asked: () => asked,
      [Symbol.asyncDispose]: async () => void server.close(),
    }
  }
  it('receives another request after Retry-After', async () => {
    await using server = await busy([
      [503, { 'retry-after': '0' }],
      [429, { 'retry-after': '0' }],
      [200, { 'content-type': 'image/png' }],
    ])
    const result = await whittle(server.url, 'a').url('x').fetch()
    expect([result.contentType, server.asked()]).toEqual(['image/png', 3])
  })
  it('receives a limited number of requests, and only one after a client error', async () => {
    await using server = await busy([[503, { 'retry-after': '0' }]])
    await expect(whittle(server.url, 'a', { retries: 2 }).url('x').fetch()).rejects.toMatchObject({
      status: 503,
      message: 'busy',
    })
    expect(server.asked()).toBe(3)
    await using wrong = await busy([[400, {}]])
    await expect(whittle(wrong.url, 'a').url('x').fetch()).rejects.toMatchObject({ status: 400 })
    expect(wrong.asked()).toBe(1)
  })
  it('gets no further request after the caller aborts', async () => {
    await using server = await busy([[503, { 'retry-after': '60' }]])
    const reason = new Error('enough')
    const stopping = new AbortController()
    setTimeout(() => stopping.abort(reason), 50)
    await expect(whittle(server.url, 'a').url('x').fetch(stopping.signal)).rejects.toBe(reason)
  })
  it.each([
    ['5', 0, 5000],
    ['9999', 0, 60_000],
    [null, 0, 500],
    [null, 2, 2000],
    ['', 1, 1000],
    ['nonsense', 1, 1000],
  ])('waits after Retry-After: %s at attempt %i for %i ms', (header, attempt, ms) =>
    expect(retryDelay(header, attempt)).toBe(ms))
})

describe('the package', () => {
  it('bundles for browsers, without any other module', async () => {
    const { outputFiles, metafile } = await build({
      entryPoints: [join(import.meta.dirname, '../../packages/client/src/client.ts')],
      bundle: true,
      format: 'esm',
      platform: 'browser',
      write: false,
      metafile: true,
      logLevel: 'silent',
    })
    expect(Object.keys(metafile.inputs).every((path) => path.startsWith('packages/client/src/'))).toBe(true)
    expect(outputFiles).toHaveLength(1)
  })
})
