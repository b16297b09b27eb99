import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type Case, start } from './start.ts'

let service: Case
beforeAll(async () => {
  service = await start({
    env: {
      FETCH_TIMEOUT: '5s',
      MAX_SOURCE_BYTES: '300kB',
      MAX_PIXELS: '600000',
      MAX_SIDE: '1100',
      MAX_TOTAL_PIXELS: '800000',
      ALLOW_PRIVATE_SOURCES: '127.0.0.1',
    },
    accounts: {
      small: { limits: { maxBytes: 1000 } },
      large: { limits: { maxSide: 2000, maxPixels: 2e6 } },
      two: { quota: 2 },
      late: { quota: 9 },
    },
  })
})
afterAll(() => service[Symbol.asyncDispose]())
afterEach(() => expect.poll(service.leftovers).toEqual([]))

const PICTURE = 'pixels/pngsuite__basn3p02.png'
const ask = async (url: string, username = 'anna', options = 'full') => {
  const answer = await service.post(`${username}/${options}/${url}`)
  const body = await answer.arrayBuffer()
  return { status: answer.status, text: Buffer.from(body).toString('latin1'), headers: answer.headers }
}

describe('a source (§6)', () => {
  it.each<[string, number, string]>([
    ['/status/401', 403, 'refused access'],
    ['/status/403', 403, 'refused access'],
    ['/status/404', 404, 'could not be found'],
    ['/status/410', 404, 'could not be found'],
    ['/status/500', 502, 'failed'],
    ['/status/503', 502, 'failed'],
    ['/status/204', 502, 'failed'],
    ['/redirect/302', 502, 'failed'],
    ['/loop/', 502, 'redirect'],
    [`/chain/6?to=/file/${PICTURE}`, 502, 'redirect'],
    ['/redirect/302?to=http://10.0.0.1/a.png', 404, 'is a private address'],
    ['/redirect/302?to=http://[::1]/a.png', 404, 'is a private address'],
    ['/redirect/302?to=file:///etc/passwd', 502, 'failed'],
    [`/break-off/${PICTURE}`, 502, 'failed'],
    [`/break-chunked/${PICTURE}`, 502, 'failed'],
    [`/length/9000/${PICTURE}`, 502, 'failed'],
    [`/lying-gzip/${PICTURE}`, 502, 'failed'],
    [`/cut-gzip/${PICTURE}`, 502, 'failed'],
    ['/garbage', 502, 'failed'],
    ['/reset', 502, 'failed'],
    ['/gzip-bomb/5', 413, '0.3 MB'],
    ['/endless', 413, '0.3 MB'],
    ['/zeros/400000', 413, '0.3 MB'],
    ['/zeros/1000', 415, 'not an image'],
    ['/zeros/0', 415, 'not an image'],
    ['/file/ORIGINS.tsv?type=image/png', 415, 'not an image'],
    ['/file/http/wide.png', 413, '1200x2'],
    ['/file/http/large.png', 413, '1000x700'],
    ['/file/motion/sharp__animated-loop-3.gif', 413, '10 frames'],
    ['/file/http/damaged.png', 422, 'damaged'],
  ])('%s gets %i and says why', async (path, status, text) => {
    const answer = await ask(service.origin.url(path))
    expect([answer.status, answer.text]).toEqual([status, expect.stringContaining(text)])
    expect(answer.headers.get('content-type')).toBe('text/plain; charset=utf-8')
    expect(answer.text).not.toContain('IM2ACCOUNT')
  })

  it('gets 504 and says why when its origin is too slow, and is not charged', async () => {
    const paths = ['/hang', `/slow-headers/60000/${PICTURE}`, `/drip/1000/${PICTURE}`, `/stall/${PICTURE}`]
    const answers = await Promise.all(paths.map((path) => ask(service.origin.url(path), 'late')))
    for (const { status, text, headers } of answers) {
      expect([status, text]).toEqual([504, expect.stringContaining('did not answer in time')])
      expect(headers.get('content-type')).toBe('text/plain; charset=utf-8')
      expect(text).not.toContain('IM2ACCOUNT')
    }
    expect(await service.withBooks((books) => books.find('late'))).toMatchObject({ used: 0 })
  })

  it.each([
    [`/file/${PICTURE}`],
    [`/file/${PICTURE}?type=text/html`],
    [`/chain/5?to=/file/${PICTURE}`],
    [`/encoded/gzip/${PICTURE}`],
    [`/encoded/br/${PICTURE}`],
    [`/until-close/${PICTURE}`],
    [`/redirect/307?to=../file/${PICTURE}`],
  ])('%s is optimised', async (path) => expect((await ask(service.origin.url(path))).status).toBe(200))

  it("the source's user info is sent as Basic authentication", async () => {
    const url = service.origin.url(`/auth/${PICTURE}`)
    expect((await ask(url)).status).toBe(403)
    expect((await ask(url.replace('://', '://ada:pass@'))).status).toBe(200)
  })

  it.each([
    'http://10.0.0.1/a.png',
    'http://192.168.1.1/',
    'http://169.254.169.254/latest/meta-data',
    'http://[::1]/',
    'http://[::ffff:10.0.0.1]/',
    'http://0.0.0.0/',
    'http://127.0.0.2/',
    'http://2130706434/',
  ])('the private address %s gets 404 that names the setting', async (url) => {
    const { status, text } = await ask(url)
    expect([status, text]).toEqual([404, expect.stringMatching(/ is a private address, .*ALLOW_PRIVATE_SOURCES/)])
  })

  it('an unknown host name gets 404 without mention of private addresses', async () => {
    const { status, text } = await ask('http://no-such-host.invalid/a.png')
    expect([status, text]).toEqual([404, expect.stringContaining('no public address is known for its host name')])
    expect(text).toBe((await ask('http://also-no-such.invalid/')).text)
  })

  it("an account's own limits apply to a source (§7)", async () => {
    expect((await ask(service.file('jpeg/kodim23-190x158.png'), 'small')).status).toBe(413)
    expect((await ask(service.file('http/wide.png'), 'large')).status).toBe(200)
  })

  it('a failing source is not charged', async () => {
    for (const path of ['/status/404', '/zeros/10']) await ask(service.origin.url(path), 'two')
    expect((await ask(service.file('jpeg/kodim23-190x158.png'), 'two', '20')).status).toBe(200)
    expect((await ask(service.file('jpeg/kodim23-190x158.png'), 'two', '21')).status).toBe(200)
    expect((await ask(service.file('jpeg/kodim23-190x158.png'), 'two', '22')).status).toBe(402)
  })
})

describe('cacheability (§5.3)', () => {
  const cacheControl = async (...headers: readonly string[]) => {
    const query = headers.map((header) => `header=${encodeURIComponent(header)}`).join('&')
    return (await ask(service.origin.url(`/file/${PICTURE}?${query}`))).headers.get('cache-control')
  }
  it.each<[string[], string | null]>([
    [[], null],
    [['Cache-Control: public, max-age=3600'], 'public, max-age=3600'],
    [['Cache-Control: max-age=3600', 'Age: 600'], 'max-age=3000'],
    [['Cache-Control: max-age=60', 'Age: 600'], 'max-age=0'],
    [['Cache-Control: private, max-age=60'], 'private, max-age=60'],
    [['Cache-Control: no-store'], 'no-store'],
    [['Pragma: no-cache'], 'no-cache'],
    [['Date: Mon, 01 Jan 2024 00:00:00 GMT', 'Expires: Mon, 01 Jan 2024 01:00:00 GMT'], 'max-age=3600'],
    [['Expires: 0'], 'max-age=0'],
  ])('%j becomes %s', async (headers, expected) => expect(await cacheControl(...headers)).toBe(expected))

  it('the cacheability of one source does not affect another with the same bytes', async () => {
    expect(await cacheControl('Cache-Control: max-age=99')).toBe('max-age=99')
    expect(await cacheControl()).toBe(null)
  })
})
