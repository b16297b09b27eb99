import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { sendRaw } from './raw.ts'
import { type Case, PAST_ONE_MACHINE, start } from './start.ts'

let service: Case
let prefixed: Case
beforeAll(async () => {
  service = await start()
  prefixed = await start({ env: { PATH_PREFIX: '/img/v1', WORKERS: '1' } })
})
afterAll(async () => {
  await service[Symbol.asyncDispose]()
  await prefixed[Symbol.asyncDispose]()
})
afterEach(() => expect.poll(service.leftovers).toEqual([]))

const PICTURE = 'pixels/pngsuite__basn3p02.png'
const lastTarget = (): string => service.origin.requests.at(-1)?.target ?? ''

describe('the image address (§1.2 to §1.4)', () => {
  it.each([
    ['raw', (url: string) => url, `/file/${PICTURE}`],
    ['wholly encoded', (url: string) => encodeURIComponent(url), `/file/${PICTURE}`],
    [
      'raw with a query that looks like options',
      (url: string) => `${url}?a=1&b=800x600,crop`,
      `/file/${PICTURE}?a=1&b=800x600,crop`,
    ],
    ['encoded with a query', (url: string) => encodeURIComponent(`${url}?x=%20&y`), `/file/${PICTURE}?x=%20&y`],
    ['with collapsed slashes', (url: string) => url.replace('://', ':/'), `/file/${PICTURE}`],
    [
      'raw with escapes, passed on as they are',
      (url: string) => url.replace('basn3p02', 'basn3p0%32'),
      '/file/pixels/pngsuite__basn3p0%32.png',
    ],
    [
      'encoded with escapes, decoded once',
      (url: string) => encodeURIComponent(url.replace('basn3p02', 'basn3p0%32')),
      '/file/pixels/pngsuite__basn3p0%32.png',
    ],
    ['with an encoded scheme alone', (url: string) => url.replace('http://', 'http%3A%2F%2F'), `/file/${PICTURE}`],
    ['with a scheme in capitals', (url: string) => url.replace('http', 'HTTP'), `/file/${PICTURE}`],
  ])('an image address may be %s', async (_, form, seen) => {
    const answer = await service.post(`anna/full/${form(service.file(PICTURE))}`)
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'image/png'])
    expect(lastTarget()).toBe(seen)
    await answer.arrayBuffer()
  })

  it('an image address may contain a comma or a colon, raw and encoded', async () => {
    const url = service.origin.url(`/encoded/gzip/${PICTURE}`)
    for (const given of [`${url}?a,b:c`, encodeURIComponent(`${url}?a,b:c`)]) {
      const answer = await service.post(`anna/full/${given}`)
      expect(answer.status).toBe(200)
      expect(lastTarget()).toBe(`/encoded/gzip/${PICTURE}?a,b:c`)
      await answer.arrayBuffer()
    }
  })

  it('a target in absolute form is accepted, as proxies send it', async () => {
    const target = `http://some.host/anna/full/${service.file(PICTURE)}`
    const answer = await sendRaw(
      service.port,
      `POST ${target} HTTP/1.1\r\nHost: some.host\r\nConnection: close\r\n\r\n`,
    )
    expect(answer.status).toBe(200)
  })

  it.each<[string, number, string]>([
    ['anna/full/example.com/a.png', 404, 'is not absolute'],
    ['anna/full/ftp://example.com/a.png', 404, 'over http and https alone'],
    ['anna/full/file:///etc/passwd', 404, 'over http and https alone'],
    ['anna/full/http%3A%2F%2F%E0%A4', 400, 'cannot be read'],
    // nginx itself refuses invalid percent-encoding.
    ...(PAST_ONE_MACHINE === undefined
      ? [['anna/full/http%3A%2F%2F%E0%A4%A', 400, 'cannot be read'] satisfies [string, number, string]]
      : []),
    ['anna/full/http://a b'.replace(' ', '%20'), 400, 'cannot be read'],
    ['anna/https://example.com/a.png', 400, 'Put the options before it'],
    ['anna/https%3A%2F%2Fexample.com%2Fa.png', 400, 'Put the options before it'],
    ['anna', 400, 'options are missing'],
    ['anna/', 400, 'options are missing'],
    ['anna/full', 400, 'image address is missing'],
    ['anna/full/', 400, 'image address is missing'],
  ])('%s gets %i and says why', async (target, status, text) => {
    const answer = await service.post(target)
    expect(answer.status).toBe(status)
    expect(answer.headers.get('content-type')).toBe('text/plain; charset=utf-8')
    expect(await answer.text()).toContain(text)
  })
})

describe('the username (§1.5)', () => {
  it.each([
    ['/anna/full/http://example.com/a.png', 'superfluous slash'],
    ['', 'superfluous slash'],
    ['Anna/full/http://example.com/a.png', 'case-sensitive'],
    ['-/full', undefined],
    ['-anna/full/http://example.com/a.png', 'no account'],
    ['nobody/no-such-option/relative', 'no account'],
    ['%61nna/full/http://example.com/a.png', 'no account'],
  ])('%s is judged first', async (target, text) => {
    const answer = await service.post(target)
    expect(answer.status).toBe(text === undefined ? 404 : 403)
    expect(await answer.text()).toContain(text ?? 'nothing at this address')
  })
})

describe('a path prefix (§1.7)', () => {
  it.each(['/img/v1', ''])('works with %s: the proxy may have stripped it', async (prefix) => {
    const { origin } = new URL(prefixed.url)
    const answer = await fetch(`${origin}${prefix}/anna/full/${prefixed.file(PICTURE)}`, { method: 'POST' })
    expect(answer.status).toBe(200)
    await answer.arrayBuffer()
  })
  it('the prefix is no username, and a longer name is not the prefix', async () => {
    const { origin } = new URL(prefixed.url)
    expect((await fetch(`${origin}/img/v1`, { method: 'POST' })).status).toBe(403)
    const longer = await fetch(`${origin}/img/v12/full`, { method: 'POST' })
    expect([longer.status, await longer.text()]).toEqual([403, expect.stringContaining('"img"')])
  })
})

// A proxy in front answers this itself.
describe.skipIf(PAST_ONE_MACHINE !== undefined)('what is no HTTP (§1.4)', () => {
  const head = 'Host: x\r\n\r\n'
  it.each<[string, string, number, string]>([
    [
      'a raw space in the file name',
      `POST /anna/full/http://e.com/a b.png HTTP/1.1\r\n${head}`,
      404,
      'URL-encode the file name',
    ],
    [
      'UTF-8 in the file name',
      `POST /anna/full/http://e.com/\xc3\xa4.png HTTP/1.1\r\n${head}`,
      404,
      'URL-encode the file name',
    ],
    [
      'Latin-1 in the file name',
      `POST /anna/full/http://e.com/\xe4.png HTTP/1.1\r\n${head}`,
      404,
      'URL-encode the file name',
    ],
    [
      'a tab in the file name',
      `POST /anna/full/http://e.com/a\tb HTTP/1.1\r\n${head}`,
      404,
      'URL-encode the file name',
    ],
    ['no method', 'HELLO\r\n\r\n', 400, 'well-formed'],
    ['an unknown version', `POST /anna/full HTTP/9.1\r\n${head}`, 400, 'well-formed'],
    ['a broken header', 'POST /anna/full HTTP/1.1\r\nHost: x\r\nBro ken: 1\r\n\r\n', 400, 'well-formed'],
    [
      'two lengths',
      'POST /anna/full HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n',
      400,
      'well-formed',
    ],
    ['endless headers', `POST /anna/full HTTP/1.1\r\nHost: x\r\nX: ${'a'.repeat(80_000)}\r\n\r\n`, 400, 'well-formed'],
    [
      'a chunk without a size',
      'POST /anna/full HTTP/1.1\r\nHost: x\r\nContent-Type: image/png\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n',
      400,
      'well-formed',
    ],
    ['no Host', 'POST /anna/full HTTP/1.1\r\n\r\n', 400, 'well-formed'],
  ])('%s is answered in plain text, then the connection ends', async (_, request, status, text) => {
    const answer = await sendRaw(service.port, request)
    expect(answer.status).toBe(status)
    expect(answer.head.toLowerCase()).toContain('content-type: text/plain; charset=utf-8')
    expect(answer.body.toString()).toContain(text)
  })

  it('a raw space is reported for an address in two packets and after another request', async () => {
    const good = `GET /-/live HTTP/1.1\r\nHost: x\r\n\r\n`
    const bad = `POST /anna/full/http://e.com/a b.png HTTP/1.1\r\n${head}`
    const after = await sendRaw(service.port, good, bad)
    expect(after.whole.toString()).toMatch(/^HTTP\/1\.1 200 OK.*HTTP\/1\.1 404/s)
  })

  it('malformed HTTP never interrupts a response that has begun', async () => {
    const request = `POST /anna/full/${service.origin.url(`/slow-headers/300/${PICTURE}`)} HTTP/1.1\r\nHost: x\r\n\r\n`
    const { whole } = await sendRaw(service.port, request, `NONSENSE\r\n\r\n`)
    expect(whole.toString('latin1').match(/HTTP\/1\.1 \d+/g)?.length ?? 0).toBeLessThanOrEqual(1)
  })
})

it('clients that disconnect at any moment do not harm the service', async () => {
  const leave = async (wait: number): Promise<void> => {
    const leaving = AbortSignal.timeout(wait)
    const url = `${service.url}/anna/33/${service.file(PICTURE)}?${wait}`
    await fetch(url, { method: 'POST', signal: leaving }).then(
      (answer) => answer.arrayBuffer(),
      () => undefined,
    )
  }
  await Promise.all(Array.from({ length: 40 }, (_, wait) => leave(wait)))
  expect((await service.post(`anna/33/${service.file(PICTURE)}`)).status).toBe(200)
})
