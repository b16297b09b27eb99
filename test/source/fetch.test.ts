import { once } from 'node:events'
import { readFile, stat } from 'node:fs/promises'
import { createServer as createTlsServer } from 'node:https'
import { type AddressInfo, createServer } from 'node:net'
import { fileURLToPath } from 'node:url'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type FetchOptions, HOP_HEADER } from '../../src/source/ask-origin.ts'
import { fetchSource } from '../../src/source/fetch.ts'
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

/** The bytes that an address brings, and what goes with them. */
const bring = async (address: string, more: Partial<FetchOptions> = {}) => {
  await using source = await fetchSource(address, options(more))
  return { ...source, body: await readFile(source.path), mode: (await stat(source.path)).mode & 0o777 }
}

const fixture = (name = IMAGE): Promise<Buffer> => readFile(FILES + name)
const redirect = (to: string, code = 302): string => origin.url(`/redirect/${code}?to=${encodeURIComponent(to)}`)
const lastRequest = (of: Origin) => of.requests.at(-1)

describe('fetching an image', () => {
  it('spools its bytes into a file of our own and tells where it came from', async () => {
    const source = await bring(origin.url(`/file/${IMAGE}?header=Cache-Control:max-age=60&header=Age:10`))
    expect(source.body.equals(await fixture())).toBe(true)
    expect(source).toMatchObject({
      bytes: source.body.length,
      mode: 0o600,
      cacheability: { cacheControl: 'max-age=50', shareable: true },
      finalUrl: origin.url(`/file/${IMAGE}?header=Cache-Control:max-age=60&header=Age:10`),
    })
  })

  it('removes the file on dispose, twice if need be', async () => {
    const source = await fetchSource(origin.url(`/file/${IMAGE}`), options())
    await source.dispose()
    await source.dispose()
    expect(await spool.left()).toEqual([])
  })

  it('sweeps up what a killed run left behind', async () => {
    await fetchSource(origin.url(`/file/${IMAGE}`), options())
    expect(await sweepSpool(spool.path)).toBe(1)
    expect(await sweepSpool(`${spool.path}/none`)).toBe(0)
  })

  it('says who asks and what it takes, and marks the request as its own', async () => {
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

  it('passes the address on as it is, without its fragment', async () => {
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

  it('takes a body that only the end of the connection ends', async () => {
    expect((await bring(origin.url(`/until-close/${IMAGE}`))).body.equals(await fixture())).toBe(true)
  })

  it('takes a heavy body from an origin that closes the connection long before we have written it', async () => {
    await using source = await fetchSource(origin.url('/zeros/30000000'), options({ maxBytes: 30_000_000 }))
    expect(source.bytes).toBe(30_000_000)
  })

  it('accepts a slow origin that is fast enough', async () => {
    expect((await bring(origin.url(`/slow-headers/50/${IMAGE}`))).body.length).toBeGreaterThan(0)
  })
})

describe('redirects', () => {
  it.each([301, 302, 303, 307, 308])('%d is followed', async (code) => {
    const source = await bring(redirect(`/file/${IMAGE}`, code))
    expect(source.finalUrl).toBe(origin.url(`/file/${IMAGE}`))
  })

  it.each([
    ['absolute', () => other.url(`/file/${IMAGE}`)],
    ['without scheme', () => other.url(`/file/${IMAGE}`).replace('http:', '')],
    ['relative', () => `../file/${IMAGE}`],
    ['raw UTF-8', () => `/file/${IMAGE}?name=é`],
  ])('to an address that is %s', async (_what, to) => {
    expect((await bring(redirect(to()))).body.length).toBeGreaterThan(0)
  })

  it('with a heavy body are followed without reading it', async () => {
    const address = `${redirect(`/file/${IMAGE}`)}&body=5000000`
    expect((await bring(address)).bytes).toBe((await fixture()).length)
  })

  it('five are followed, the sixth is not', async () => {
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
  ])('%s', async (_what, address, words) => {
    await expect(bring(address())).rejects.toMatchObject({
      code: 'ORIGIN_FAILED',
      message: expect.stringMatching(words),
    })
  })
})

describe('passwords', () => {
  const withUser = (address: string): string => address.replace('http://', 'http://us%C3%A9r:p%3Aw@')
  const basic = `Basic ${Buffer.from('usér:p:w').toString('base64')}`

  it('in the address are sent as Basic authentication and shown nowhere', async () => {
    const source = await bring(withUser(origin.url(`/auth/${IMAGE}`)))
    expect(lastRequest(origin)?.headers.authorization).toBe(basic)
    expect(source.finalUrl).toBe(origin.url(`/auth/${IMAGE}`))
    expect(source.cacheability.shareable).toBe(false)
  })

  it('go along to the same origin', async () => {
    await bring(withUser(redirect(origin.url(`/auth/${IMAGE}`))))
    expect(lastRequest(origin)?.headers.authorization).toBe(basic)
  })

  it('never go to another origin, nor back from there', async () => {
    const back = origin.url(`/file/${IMAGE}`)
    const there = other.url(`/redirect/302?to=${encodeURIComponent(back)}`)
    await bring(withUser(redirect(there)))
    expect(lastRequest(other)?.headers.authorization).toBeUndefined()
    expect(lastRequest(origin)?.headers.authorization).toBeUndefined()
  })

  it('of a redirect are for its own origin', async () => {
    await bring(redirect(withUser(other.url(`/auth/${IMAGE}`))))
    expect(lastRequest(other)?.headers.authorization).toBe(basic)
  })

  it('are asked for in vain when there are none', async () => {
    await expect(bring(origin.url(`/auth/${IMAGE}`))).rejects.toMatchObject({ code: 'ORIGIN_FORBIDS', status: 403 })
  })
})

describe('what the origin answers', () => {
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

  it('takes no more than the announced length', async () => {
    const { body } = await bring(origin.url(`/length/100/${IMAGE}`))
    expect(body.equals((await fixture()).subarray(0, 100))).toBe(true)
  })

  it('does not undo content encodings without end', async () => {
    await expect(bring(origin.url(`/encoded/gzip+gzip+gzip+gzip/${SVG}`))).rejects.toMatchObject({
      code: 'ORIGIN_FAILED',
    })
  })

  it('tells nothing of addresses and ports', async () => {
    const closed = createServer()
    await new Promise<void>((ready) => closed.listen(0, '127.0.0.1', ready))
    const { port } = closed.address() as AddressInfo
    await new Promise((done) => closed.close(done))
    const failure = await bring(`http://127.0.0.1:${port}/a.png`).catch((error: Error) => error)
    expect(failure).toMatchObject({ code: 'ORIGIN_FAILED', message: expect.stringContaining('refused the connection') })
    expect((failure as Error).message).not.toMatch(/127|:\d|ECONN/)
  })

  it('does not take a million pieces of one byte', async () => {
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

  it('does not talk TLS with a server that has no certificate', async () => {
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
  it('admits exactly as much', async () => {
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

  it('a name that is never resolved is too slow', async () => {
    const resolve = () => new Promise<never>(() => undefined)
    await expect(bring('http://example.com/', { resolve, timeouts: soon })).rejects.toMatchObject({
      code: 'ORIGIN_TOO_SLOW',
    })
  })

  it.each(['/hang/', `/stall/${IMAGE}`])('a client that goes away ends it: %s', async (path) => {
    const gone = new AbortController()
    const reason = new Error('the client went away')
    const waiting = bring(origin.url(path), { signal: gone.signal })
    setTimeout(() => gone.abort(reason), 50)
    await expect(waiting).rejects.toBe(reason)
  })

  it('the deadline of the request counts as well', async () => {
    await expect(bring(origin.url('/hang/'), { signal: AbortSignal.timeout(100) })).rejects.toMatchObject({
      code: 'ORIGIN_TOO_SLOW',
    })
  })

  it('leaves no connection behind', async () => {
    await bring(origin.url('/hang/'), { timeouts: soon }).catch(() => undefined)
    await bring(origin.url(`/file/${IMAGE}`))
    await expect.poll(origin.connections).toBe(0)
  })
})

describe('the guard', () => {
  const closed = { allowPrivate: [] }
  const text = 'The image could not be found: its host name has no public address.'
  const refused = { code: 'SOURCE_UNREACHABLE', status: 404, message: expect.stringContaining(text) }

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
  ])('refuses %s, with the text of a name that does not exist', async (_what, address) => {
    const before = origin.requests.length
    await expect(bring(address(), closed)).rejects.toMatchObject(refused)
    expect(origin.requests.length).toBe(before)
  })

  it('refuses the inside after a redirect from the outside', async () => {
    const asked: string[] = []
    const resolve = async (hostname: string) => {
      asked.push(hostname)
      return hostname === 'public.example' ? ['127.0.0.1'] : ['127.0.0.2']
    }
    const inside = `http://inside.example:${other.port}/file/${IMAGE}`
    const before = other.requests.length
    const outside = origin.url(`/redirect/302?to=${encodeURIComponent(inside)}`, 'public.example')
    await expect(bring(outside, { allowPrivate: ['127.0.0.1/32'], resolve })).rejects.toMatchObject(refused)
    expect(asked).toEqual(['public.example', 'inside.example'])
    expect(other.requests.length).toBe(before)
  })

  it('connects to the address that was checked, whatever the name means by then', async () => {
    let asked = 0
    // A hostile name server: the first answer is harmless, every other leads inwards.
    const resolve = async () => (asked++ === 0 ? ['127.0.0.1'] : ['127.0.0.2'])
    const source = await bring(origin.url(`/file/${IMAGE}`, 'rebinding.example'), {
      allowPrivate: ['127.0.0.1/32'],
      resolve,
    })
    expect(source.body.length).toBeGreaterThan(0)
    expect(asked).toBe(1)
    expect(lastRequest(origin)?.headers.host).toBe(`rebinding.example:${origin.port}`)
  })

  it('connects to none but the admitted ones of several addresses', async () => {
    const resolve = async () => ['10.255.255.1', 'fe80::1', '127.0.0.1']
    const more = { allowPrivate: ['127.0.0.1/32'], resolve }
    expect((await bring(origin.url(`/file/${IMAGE}`, 'many.example'), more)).body.length).toBeGreaterThan(0)
    await expect(
      bring(origin.url(`/file/${IMAGE}`, 'many.example'), { ...more, allowPrivate: [] }),
    ).rejects.toMatchObject(refused)
  })

  it.each([
    'ftp://example.com/a.png',
    'file:///etc/passwd',
    'not an address',
    '',
  ])('has nothing to do with %j', async (address) => {
    await expect(bring(address)).rejects.toMatchObject({ code: 'IMAGE_URL_BROKEN', status: 400 })
  })
})
