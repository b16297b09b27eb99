import { once } from 'node:events'
import { readFile, stat } from 'node:fs/promises'
import { createServer as createTlsServer } from 'node:https'
import { type AddressInfo, createServer } from 'node:net'
import { fileURLToPath } from 'node:url'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { Failure } from '../../src/core/failure.ts'
import { fetchSource } from '../../src/source/fetch.ts'
import { HOP_HEADER } from '../../src/source/hop-header.ts'
import type { FetchOptions } from '../../src/source/request-origin.ts'
import { sweepSpool } from '../../src/source/spool.ts'
import { type Origin, startOrigin } from '../origin/origin.ts'
import { makeSpoolDirectory, type SpoolDirectory } from './spool-directory.ts'

const FILES = fileURLToPath(new URL('../fixtures/source/', import.meta.url))
const IMAGE = 'serenity__Qpalette.webp'
const SVG = 'thumbor__Commons-logo-inches.svg'
const LOOPBACK = ['127.0.0.0/8', '::1/128']

let origin: Origin
let other: Origin
let spool: SpoolDirectory

beforeAll(async () => {
  origin = await startOrigin({ files: FILES })
  other = await startOrigin({ files: FILES })
  spool = await makeSpoolDirectory()
})
afterAll(async () => {
  await origin.close()
  await other.close()
  await spool[Symbol.asyncDispose]()
})
afterEach(async () => {
  expect(await spool.left()).toEqual([])
})

const options = (more: Partial<FetchOptions> = {}): FetchOptions => ({
  spoolDirectory: spool.path,
  maxBytes: 1_000_000,
  allowPrivate: LOOPBACK,
  ...more,
})

/** Fetches an address. Returns the bytes and the facts about them. */
const bring = async (address: string, more: Partial<FetchOptions> = {}) => {
  await using source = await fetchSource(address, options(more))
  return { ...source, body: await readFile(source.path), mode: (await stat(source.path)).mode & 0o777 }
}

const fixture = (name = IMAGE): Promise<Buffer> => readFile(FILES + name)
const redirect = (to: string, code = 302): string => origin.url(`/redirect/${code}?to=${encodeURIComponent(to)}`)
const lastRequest = (of: Origin) => of.requests.at(-1)

describe('fetching an image', () => {
  it('spools the bytes into a private file and returns their origin', async () => {
    const source = await bring(origin.url(`/file/${IMAGE}?header=Cache-Control:max-age=60&header=Age:10`))
    expect(source.body.equals(await fixture())).toBe(true)
    expect(source).toMatchObject({
      bytes: source.body.length,
      mode: 0o600,
      cacheability: { cacheControl: 'max-age=50', shareable: true },
      finalUrl: origin.url(`/file/${IMAGE}?header=Cache-Control:max-age=60&header=Age:10`),
    })
  })

  it('removes the file on dispose, which may be called twice', async () => {
    const source = await fetchSource(origin.url(`/file/${IMAGE}`), options())
    await source.dispose()
    await source.dispose()
    expect(await spool.left()).toEqual([])
  })

  it('sweeps up the files of a killed run', async () => {
    await fetchSource(origin.url(`/file/${IMAGE}`), options())
    expect(await sweepSpool(spool.path)).toBe(1)
    expect(await sweepSpool(`${spool.path}/none`)).toBe(0)
  })

  it('sends User-Agent, Accept-Encoding and the hop header', async () => {
    await bring(origin.url(`/file/${IMAGE}`), { userAgent: 'Whittle/1.2.3' })
    expect(lastRequest(origin)).toMatchObject({
      method: 'GET',
      headers: {
        'user-agent': 'Whittle/1.2.3',
        accept: 'image/*,*/*;q=0.8',
        'accept-encoding': 'gzip, deflate, br, zstd',
        [HOP_HEADER]: '1',
      },
    })
  })

  it('requests the address unchanged, without its fragment', async () => {
    const target = `/file/${IMAGE}?a=%20b,c;d:e|f&g=%C3%A9&x=[1]&y='z'`
    await bring(origin.url(`${target}#here`))
    expect(lastRequest(origin)?.target).toBe(target.replaceAll("'", '%27'))
  })

  it.each([
    'gzip',
    'x-gzip',
    'deflate',
    'raw-deflate',
    'br',
    'zstd',
    'gzip+br',
    'something',
    'utf-8+gzip',
  ])('undoes the content encoding %s', async (coding) => {
    const { body, bytes } = await bring(origin.url(`/encoded/${coding}/${SVG}`))
    expect(body.equals(await fixture(SVG))).toBe(true)
    expect(bytes).toBe(body.length)
  })

  it('accepts a body that ends with the connection', async () => {
    expect((await bring(origin.url(`/until-close/${IMAGE}`))).body.equals(await fixture())).toBe(true)
  })

  it('accepts a large body whose origin closes the connection before it is written to disk', async () => {
    await using source = await fetchSource(origin.url('/zeros/30000000'), options({ maxBytes: 30_000_000 }))
    expect(source.bytes).toBe(30_000_000)
  })

  it('accepts a slow origin within the time limit', async () => {
    expect((await bring(origin.url(`/slow-headers/50/${IMAGE}`))).body.length).toBeGreaterThan(0)
  })
})

describe('redirects', () => {
  it.each([301, 302, 303, 307, 308])('a redirect with status %d is followed', async (code) => {
    const source = await bring(redirect(`/file/${IMAGE}`, code))
    expect(source.finalUrl).toBe(origin.url(`/file/${IMAGE}`))
  })

  it.each([
    ['absolute', () => other.url(`/file/${IMAGE}`)],
    ['without scheme', () => other.url(`/file/${IMAGE}`).replace('http:', '')],
    ['relative', () => `../file/${IMAGE}`],
    ['raw UTF-8', () => `/file/${IMAGE}?name=é`],
  ])('a redirect to an address that is %s is followed', async (_what, to) => {
    expect((await bring(redirect(to()))).body.length).toBeGreaterThan(0)
  })

  it('a redirect with a large body is followed without reading it', async () => {
    const address = `${redirect(`/file/${IMAGE}`)}&body=5000000`
    expect((await bring(address)).bytes).toBe((await fixture()).length)
  })

  it('five redirects are followed, a sixth fails', async () => {
    const chain = (length: number): string => origin.url(`/chain/${length}?to=${encodeURIComponent(`/file/${IMAGE}`)}`)
    expect((await bring(chain(5))).body.length).toBeGreaterThan(0)
    await expect(bring(chain(6))).rejects.toMatchObject({ code: 'ORIGIN_FAILED', status: 502 })
  })

  it.each([
    ['in circles', () => origin.url('/loop/'), /more than 5 times/],
    ['without Location', () => origin.url('/redirect/302'), /without saying where to/],
    ['to ftp', () => redirect('ftp://example.com/a.png'), /neither http nor https/],
    ['to a file', () => redirect('file:///etc/passwd'), /neither http nor https/],
    ['to data', () => redirect('data:image/png;base64,AAAA'), /neither http nor https/],
    ['to nonsense', () => redirect('http://[1/'), /cannot be read/],
    ['not at all: 304', () => origin.url('/status/304'), /status 304/],
  ])('a redirect fails when it leads %s', async (_what, address, words) => {
    await expect(bring(address())).rejects.toMatchObject({
      code: 'ORIGIN_FAILED',
      message: expect.stringMatching(words),
    })
  })
})

describe('passwords', () => {
  const withUser = (address: string): string => address.replace('http://', 'http://us%C3%A9r:p%3Aw@')
  const basic = `Basic ${Buffer.from('usér:p:w').toString('base64')}`

  it('a password in the address is sent as Basic authentication and never shown', async () => {
    const source = await bring(withUser(origin.url(`/auth/${IMAGE}`)))
    expect(lastRequest(origin)?.headers.authorization).toBe(basic)
    expect(source.finalUrl).toBe(origin.url(`/auth/${IMAGE}`))
    expect(source.cacheability.shareable).toBe(false)
  })

  it('a password is sent along with a redirect to the same origin', async () => {
    await bring(withUser(redirect(origin.url(`/auth/${IMAGE}`))))
    expect(lastRequest(origin)?.headers.authorization).toBe(basic)
  })

  it('a password is sent neither to another origin nor back from it', async () => {
    const back = origin.url(`/file/${IMAGE}`)
    const there = other.url(`/redirect/302?to=${encodeURIComponent(back)}`)
    await bring(withUser(redirect(there)))
    expect(lastRequest(other)?.headers.authorization).toBeUndefined()
    expect(lastRequest(origin)?.headers.authorization).toBeUndefined()
  })

  it('a password in a redirect is sent to its origin', async () => {
    await bring(redirect(withUser(other.url(`/auth/${IMAGE}`))))
    expect(lastRequest(other)?.headers.authorization).toBe(basic)
  })

  it('a source that needs a password fails with ORIGIN_FORBIDS without one', async () => {
    await expect(bring(origin.url(`/auth/${IMAGE}`))).rejects.toMatchObject({ code: 'ORIGIN_FORBIDS', status: 403 })
  })
})

describe('responses of the origin', () => {
  it.each([
    [401, 'ORIGIN_FORBIDS'],
    [403, 'ORIGIN_FORBIDS'],
    [404, 'SOURCE_NOT_FOUND'],
    [410, 'SOURCE_NOT_FOUND'],
    [400, 'ORIGIN_FAILED'],
    [418, 'ORIGIN_FAILED'],
    [429, 'ORIGIN_FAILED'],
    [500, 'ORIGIN_FAILED'],
    [503, 'ORIGIN_FAILED'],
    [204, 'ORIGIN_FAILED'],
    [206, 'ORIGIN_FAILED'],
  ])('%d is %s', async (status, code) => {
    await expect(bring(origin.url(`/status/${status}`))).rejects.toMatchObject({ code })
  })

  it.each([
    ['half of the body', '/break-off/', 'broke off'],
    ['half of a chunked body', '/break-chunked/', 'broke off'],
    ['fewer bytes than announced', '/length/99999/', 'broke off'],
    ['nothing', '/reset/', 'broke off'],
    ['no HTTP', '/garbage/', 'not well-formed HTTP'],
    ['gzip that is none', '/lying-gzip/', 'compressed answer is broken'],
    ['half of a gzip stream', '/cut-gzip/', 'ends too early'],
  ])('%s is a failure of the origin', async (_what, path, words) => {
    await expect(bring(origin.url(path + IMAGE))).rejects.toMatchObject({
      code: 'ORIGIN_FAILED',
      message: expect.stringContaining(words),
    })
  })

  it('reads no more than the announced length', async () => {
    const { body } = await bring(origin.url(`/length/100/${IMAGE}`))
    expect(body.equals((await fixture()).subarray(0, 100))).toBe(true)
  })

  it('refuses more than three content codings', async () => {
    await expect(bring(origin.url(`/encoded/gzip+gzip+gzip+gzip/${SVG}`))).rejects.toMatchObject({
      code: 'ORIGIN_FAILED',
    })
  })

  it('the message contains neither addresses nor ports', async () => {
    const closed = createServer()
    await new Promise<void>((ready) => closed.listen(0, '127.0.0.1', ready))
    const { port } = closed.address() as AddressInfo
    await new Promise((done) => closed.close(done))
    const failure = await bring(`http://127.0.0.1:${port}/a.png`).catch((error: Error) => error)
    expect(failure).toMatchObject({ code: 'ORIGIN_FAILED', message: expect.stringContaining('refused the connection') })
    expect((failure as Error).message).not.toMatch(/127|:\d|ECONN/)
  })

  it('refuses a body of many chunks of one byte', async () => {
    const answer = `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${'1\r\nx\r\n'.repeat(40_000)}0\r\n\r\n`
    const server = createServer((socket) => void socket.on('error', () => undefined).end(answer)).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    await expect(bring(`http://127.0.0.1:${port}/a.png`)).rejects.toMatchObject({
      code: 'ORIGIN_FAILED',
      message: expect.stringContaining('too many tiny pieces'),
    })
    server.close()
  })

  it('refuses a TLS server without a certificate', async () => {
    const server = createTlsServer().listen(0, '127.0.0.1')
    await new Promise((ready) => server.once('listening', ready))
    const { port } = server.address() as AddressInfo
    await expect(bring(`https://127.0.0.1:${port}/a.png`)).rejects.toMatchObject({
      code: 'ORIGIN_FAILED',
      message: expect.stringMatching(/TLS/),
    })
    await new Promise((done) => server.close(done))
  })
})

describe('the size limit', () => {
  it('accepts an image of exactly the limit', async () => {
    const size = (await fixture()).length
    expect((await bring(origin.url(`/file/${IMAGE}`), { maxBytes: size })).bytes).toBe(size)
  })

  it.each([
    ['one byte too many', `/file/${IMAGE}`, 4657],
    ['one byte too many, compressed', `/encoded/gzip/${IMAGE}`, 4657],
    ['a body without end', '/endless/', 300_000],
    ['a gzip bomb', '/gzip-bomb/100', 1_000_000],
    ['a body that only says it is heavy', `/length/2000000/${IMAGE}`, 1_000_000],
  ])('refuses %s', async (_what, path, maxBytes) => {
    await expect(bring(origin.url(path), { maxBytes })).rejects.toMatchObject({ code: 'SOURCE_TOO_HEAVY', status: 413 })
  })
})

describe('time', () => {
  const soon = { totalMs: 200 }

  it.each([
    ['never answers', '/hang/', soon],
    ['stalls half-way', `/stall/${IMAGE}`, soon],
    ['drips', `/drip/20/${IMAGE}`, soon],
    ['stops sending', `/stall/${IMAGE}`, { bodyIdleMs: 200 }],
  ])('an origin that %s is too slow', async (_what, path, timeouts) => {
    await expect(bring(origin.url(path), { timeouts })).rejects.toMatchObject({ code: 'ORIGIN_TOO_SLOW', status: 504 })
  })

  it('a name that never resolves gives ORIGIN_TOO_SLOW', async () => {
    const resolve = () => new Promise<never>(() => undefined)
    await expect(bring('http://example.com/', { resolve, timeouts: soon })).rejects.toMatchObject({
      code: 'ORIGIN_TOO_SLOW',
    })
  })

  it.each(['/hang/', `/stall/${IMAGE}`])('a client that disconnects ends the fetch of %s', async (path) => {
    const gone = new AbortController()
    const reason = new Error('the client went away')
    const waiting = bring(origin.url(path), { signal: gone.signal })
    setTimeout(() => gone.abort(reason), 50)
    await expect(waiting).rejects.toBe(reason)
  })

  it('the deadline of the request ends the fetch', async () => {
    await expect(bring(origin.url('/hang/'), { signal: AbortSignal.timeout(100) })).rejects.toMatchObject({
      code: 'ORIGIN_TOO_SLOW',
    })
  })

  it('no connection stays open', async () => {
    await bring(origin.url('/hang/'), { timeouts: soon }).catch(() => undefined)
    await bring(origin.url(`/file/${IMAGE}`))
    await expect.poll(origin.connections).toBe(0)
  })
})

describe('the guard', () => {
  const closed = { allowPrivate: [] }
  const unreachable = 'Either DNS does not know the name, or the name leads to a private address, which is refused.'
  const literal =
    'is a private address, and those are refused. Upload the image, or ask the operator of the service to list its range in ALLOW_PRIVATE_SOURCES.'
  /** The failure for a private address. For a name it must not reveal whether the name is unknown or private. */
  const refused = expect.toSatisfy(
    ({ code, message }: Failure) =>
      (code === 'SOURCE_UNREACHABLE' && message.includes(unreachable)) ||
      (code === 'SOURCE_PRIVATE' && message.includes(literal)),
  )

  it.each([
    ['loopback', () => origin.url(`/file/${IMAGE}`)],
    ['a name of loopback', () => origin.url(`/file/${IMAGE}`, 'localhost')],
    ['the same with a dot', () => origin.url(`/file/${IMAGE}`, 'localhost.')],
    ['one number', () => origin.url(`/file/${IMAGE}`, '2130706433')],
    ['hexadecimal', () => origin.url(`/file/${IMAGE}`, '0x7f.1')],
    ['octal', () => origin.url(`/file/${IMAGE}`, '0177.0.0.1')],
    ['IPv4-mapped', () => origin.url(`/file/${IMAGE}`, '[::ffff:127.0.0.1]')],
    ['a dot at the end', () => origin.url(`/file/${IMAGE}`, '127.0.0.1.')],
    ['any address', () => origin.url(`/file/${IMAGE}`, '0.0.0.0')],
    ['machine metadata', () => 'http://169.254.169.254/latest/meta-data/'],
    ['no name at all', () => 'http://no-such-host.invalid/a.png'],
  ])('refuses %s', async (_what, address) => {
    const before = origin.requests.length
    await expect(bring(address(), closed)).rejects.toEqual(refused)
    expect(origin.requests.length).toBe(before)
  })

  it('refuses a private address after a redirect from a public one', async () => {
    const asked: string[] = []
    const resolve = async (hostname: string) => {
      asked.push(hostname)
      return hostname === 'public.example' ? ['127.0.0.1'] : ['127.0.0.2']
    }
    const inside = `http://inside.example:${other.port}/file/${IMAGE}`
    const before = other.requests.length
    const outside = origin.url(`/redirect/302?to=${encodeURIComponent(inside)}`, 'public.example')
    await expect(bring(outside, { allowPrivate: ['127.0.0.1/32'], resolve })).rejects.toEqual(refused)
    expect(asked).toEqual(['public.example', 'inside.example'])
    expect(other.requests.length).toBe(before)
  })

  it('connects to the checked address even if the name resolves differently by then', async () => {
    let asked = 0
    // A hostile name server: the first answer is harmless, all later ones are private.
    const resolve = async () => (asked++ === 0 ? ['127.0.0.1'] : ['127.0.0.2'])
    const source = await bring(origin.url(`/file/${IMAGE}`, 'rebinding.example'), {
      allowPrivate: ['127.0.0.1/32'],
      resolve,
    })
    expect(source.body.length).toBeGreaterThan(0)
    expect(asked).toBe(1)
    expect(lastRequest(origin)?.headers.host).toBe(`rebinding.example:${origin.port}`)
  })

  it('connects only to allowed addresses of several', async () => {
    const resolve = async () => ['10.255.255.1', 'fe80::1', '127.0.0.1']
    const more = { allowPrivate: ['127.0.0.1/32'], resolve }
    expect((await bring(origin.url(`/file/${IMAGE}`, 'many.example'), more)).body.length).toBeGreaterThan(0)
    await expect(bring(origin.url(`/file/${IMAGE}`, 'many.example'), { ...more, allowPrivate: [] })).rejects.toEqual(
      refused,
    )
  })

  it.each([
    'ftp://example.com/a.png',
    'file:///etc/passwd',
    'not an address',
    '',
  ])('an address %j is refused', async (address) => {
    await expect(bring(address)).rejects.toMatchObject({ code: 'IMAGE_URL_BROKEN', status: 400 })
  })
})
