import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sendRaw } from './raw.ts'
import { type Case, PAST_ONE_MACHINE, start } from './start.ts'

let service: Case
beforeAll(async () => {
  service = await start({ accounts: { spent: { quota: 0 }, live: { deliver: ['e.com'] } } })
})
afterAll(() => service[Symbol.asyncDispose]())

const ask = (target: string, method: string, accept = 'text/html,application/xhtml+xml,*/*;q=0.8', headers = {}) =>
  fetch(`${service.url}/${target}`, { method, headers: { accept, ...headers } })

/** Matches tags that run or load something, except for the service's own files. */
const FOREIGN = /<(?:script|img|link)\b(?![^>]*? (?:src|href)="\/-\/page\/)/

describe('GET on an image address (§1.8)', () => {
  it.each<[string, number, readonly string[]]>([
    [
      'anna/800x600,2x,crop/http://e.com/a.png',
      200,
      ['800x600', 'curl -fL -X POST -o optimised &#39;http://', 'This address works', 'http://e.com/a.png'],
    ],
    ['anna/FULL,quality=80/http://e.com/a.png', 200, ['Warnings', 'FULL', '/anna/full/http://e.com/a.png']],
    ['anna/9x9,crop=auto,bgcolor=F60/http://e.com/a.png', 200, ['<code>crop=auto</code>', 'fill="#FF6600"']],
    ['live/full/http://e.com/a.png', 200, ['&lt;img&gt;']],
    ['anna/full', 200, ['curl -fL -F file=@image.png']],
    ['anna/ful/http://e.com/a.png', 400, ['does not work', 'Probably meant', '/anna/full/http://e.com/a.png']],
    ['anna/full/e.com/a.png', 404, ['not absolute', '/anna/full/https://e.com/a.png']],
    ['anna/https://e.com/a.png', 400, ['Probably meant', '/anna/full/https://e.com/a.png']],
    ['anna/wibble-wobble/http://e.com/a.png', 400, ['not understood']],
    ['anna', 400, ['options are missing']],
    ['nobody/full/http://e.com/a.png', 403, ['no account']],
    ['spent/full/http://e.com/a.png', 402, ['used up', '0 of 0 images used']],
  ])('%s is explained with status %i', async (target, status, texts) => {
    const answer = await ask(target, 'GET')
    expect([answer.status, answer.headers.get('content-type')]).toEqual([status, 'text/html; charset=utf-8'])
    const page = await answer.text()
    for (const text of texts) expect(page).toContain(text)
    expect(page).not.toMatch(FOREIGN)
    const head = await ask(target, 'HEAD')
    expect([head.status, await head.text()]).toEqual([status, ''])
  })

  it('escapes all text from outside', async () => {
    const target = `/anna/<img>,full/http://e.com/"><script>alert('1')</script>`
    const answer = await sendRaw(
      service.port,
      `GET ${target} HTTP/1.0\r\nHost: x"><script>\r\nAccept: text/html\r\n\r\n`,
    )
    expect(answer.status).toBe(400)
    expect(answer.body.toString()).toContain('&lt;script&gt;')
    expect(answer.body.toString()).not.toMatch(FOREIGN)
    expect(answer.head).toContain("Content-Security-Policy: default-src 'none'")
  })

  it('an explanation neither spends quota nor fetches', async () => {
    await ask(`anna/full/${service.file('jpeg/kodim23-190x158.png')}`, 'GET')
    expect(service.origin.requests).toEqual([])
  })

  it.each(['GET', 'HEAD'])('%s without a browser gets 403 for an account without live delivery', async (method) => {
    const answer = await ask('anna/full/http://e.com/a.png', method, 'image/*')
    expect(answer.status).toBe(403)
    await answer.text()
  })

  it.each(['PUT', 'PATCH'])('%s without a browser gets 405', async (method) => {
    const answer = await ask('anna/full/http://e.com/a.png', method, 'image/*')
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'POST'])
    await answer.text()
  })
})

describe('CORS (§5.4)', () => {
  it('browsers may send requests and read responses', async () => {
    const answer = await ask('anna/full/http://e.com/a.png', 'OPTIONS', '*/*', {
      origin: 'https://web.example',
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'content-type',
    })
    expect(answer.status).toBe(204)
    expect(answer.headers.get('access-control-allow-origin')).toBe('*')
    expect(answer.headers.get('access-control-allow-methods')).toContain('POST')
    expect(answer.headers.get('access-control-allow-headers')).toBe('content-type')
  })
  it.each(['anna/full/relative', 'nobody/full', '-/live'])('%s, an error or not, may be read', async (target) => {
    const answer = await ask(target, 'POST')
    expect(answer.headers.get('access-control-allow-origin')).toBe('*')
    for (const name of ['Warning', 'Location', 'Server-Timing', 'X-Score', 'X-Encodes', 'X-Source-Bytes'])
      expect(answer.headers.get('access-control-expose-headers')).toContain(name)
    await answer.text()
  })
})

describe('errors (§6)', () => {
  it('errors are pages in browsers and plain text elsewhere, with a meaningful reason phrase', async () => {
    const page = await ask('anna/full/relative', 'POST')
    expect([page.status, page.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8'])
    expect(await page.text()).toContain('is not absolute')
    const text = await ask('anna/full/relative', 'POST', '*/*')
    expect([text.headers.get('content-type'), text.statusText]).toEqual([
      'text/plain; charset=utf-8',
      'The image address "relative" is not absolute.',
    ])
    await text.text()
  })
})

describe('the corrected address', () => {
  it('the address that was probably meant works', async () => {
    const fixture = service.file('jpeg/kodim23-190x158.png')
    const page = await (await ask(`anna/9,corp/${fixture}`, 'GET')).text()
    const meant = /Probably meant<\/h2><div class="copyable"><pre>([^<]*)</.exec(page)?.[1] ?? ''
    const answer = await fetch(meant, { method: 'POST' })
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'image/png'])
    await answer.arrayBuffer()
  })
  it('the command has the corrected address when an option is slightly wrong', async () => {
    const page = await (await ask('anna/9X9,high/http://e.com/a.png', 'GET')).text()
    const commands = /Try it<\/h2><div class="copyable"><pre>([^<]*)</.exec(page)?.[1]
    expect(commands).toContain('/anna/9x9,quality=high/http://e.com/a.png')
    expect(page).toContain('Better written as')
  })
  it('another order of options gives no corrected address', async () => {
    const page = await (await ask('anna/2x,crop,800x600/http://e.com/a.png', 'GET')).text()
    expect(page).not.toContain('Better written as')
    expect(page).toContain('/anna/2x,crop,800x600/http://e.com/a.png')
  })
  it('an unclear address gives no corrected address', async () => {
    const page = await (await ask('anna/wibble-wobble/http://e.com/a.png', 'GET')).text()
    expect(page).not.toMatch(/Probably meant|Try it/)
  })
})

describe("the service's own addresses", () => {
  it.each<[string, string, number]>([
    ['-/live', 'GET', 200],
    ['-/ready', 'GET', 200],
    ['-/ready', 'HEAD', 200],
    ['-/ready', 'POST', 405],
    // The proxy does not expose them.
    ['-/metrics', 'GET', PAST_ONE_MACHINE === undefined ? 200 : 404],
    ['-/no-such', 'GET', 404],
    ['-/results/nonsense', 'GET', 404],
    [`-/results/${'0'.repeat(32)}`, 'GET', 404],
    [`-/results/${'0'.repeat(32)}`, 'HEAD', 404],
    [`-/results/${'0'.repeat(32)}`, 'POST', 404],
    [`-/results/${'0'.repeat(32)}`, 'PUT', 405],
    ['', 'GET', 200],
    ['-/page/no-such.js', 'GET', 404],
    ['-/page/../../package.json', 'GET', 405],
    ['-/page/..%2F..%2Fpackage.json', 'GET', 404],
  ])('%s answers %s with %i', async (target, method, status) => {
    const answer = await ask(target, method, '*/*')
    expect(answer.status).toBe(status)
    await answer.text()
  })
  it('the metrics count requests by status', async () => {
    const before = await service.metric('whittle_requests_total', 'status="403"')
    await service.post('nobody/full')
    expect(await service.metric('whittle_requests_total', 'status="403"')).toBe(before + 1)
  })
})
