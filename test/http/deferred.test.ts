import sharp from 'sharp'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type Case, PAST_ONE_MACHINE, start } from './start.ts'

let service: Case
beforeAll(async () => {
  service = await start({ env: { REDIRECT_AFTER: '1ms' }, accounts: { one: { quota: 1 } } })
})
afterAll(() => service[Symbol.asyncDispose]())
afterEach(() => expect.poll(service.leftovers).toEqual([]))

const PICTURE = 'jpeg/kodim23-190x158.png'
/** Returns the result address of a request. The query varies the source's address, or sets headers of the origin. */
const defer = async (options: string, name = PICTURE, query = '', username = 'anna'): Promise<string> => {
  const answer = await service.post(`${username}/${options}/${service.file(name)}${query}`)
  await answer.text()
  expect([answer.status, answer.headers.get('cache-control')]).toEqual([303, 'no-store'])
  const location = answer.headers.get('location') ?? ''
  expect(location).toMatch(new RegExp(`^${service.url}/-/results/[0-9a-f]{32}$`))
  return location
}

describe('303 and the result address (§5.1)', () => {
  it('waits for running work, then answers GET, HEAD and POST alike', async () => {
    const location = await defer('31,format=jpeg', PICTURE, '?header=Cache-Control:max-age=500', 'anna')
    const [first, head, posted] = await Promise.all(
      ['GET', 'HEAD', 'POST'].map((method) => fetch(location, { method })),
    )
    for (const answer of [first!, head!, posted!]) {
      expect([answer.status, answer.headers.get('content-type'), answer.headers.get('etag')]).toEqual([
        200,
        'image/jpeg',
        first!.headers.get('etag'),
      ])
      expect(answer.headers.get('content-length')).toBe(first!.headers.get('content-length'))
      expect(answer.headers.get('x-source-bytes')).toBe('63314')
      expect(answer.headers.get('cache-control')).toMatch(/^max-age=(500|49\d)$/)
    }
    const body = Buffer.from(await first!.arrayBuffer())
    expect((await sharp(body).metadata()).width).toBe(31)
    expect(await head!.text()).toBe('')
    expect(Buffer.from(await posted!.arrayBuffer()).equals(body)).toBe(true)
  })

  it('clients that follow redirects reach the result', async () => {
    const answer = await service.post(`anna/28/${service.file(PICTURE)}`, { redirect: 'follow' })
    expect([answer.status, answer.redirected]).toEqual([200, true])
    await answer.arrayBuffer()
  })

  it('honours If-None-Match', async () => {
    const location = await defer('29')
    const first = await fetch(location)
    await first.arrayBuffer()
    const etag = first.headers.get('etag') ?? ''
    for (const tag of [etag, `"other", ${etag}`, `W/${etag}`, '*']) {
      const again = await fetch(location, { headers: { 'if-none-match': tag } })
      expect([again.status, again.headers.get('etag'), await again.text()]).toEqual([304, etag, ''])
    }
    expect((await fetch(location, { headers: { 'if-none-match': '"other"' } })).status).toBe(200)
  })

  it('returns a range as long as the image is the same', async () => {
    const location = await defer('33')
    const first = await fetch(location)
    const body = Buffer.from(await first.arrayBuffer())
    const etag = first.headers.get('etag') ?? ''
    const ask = async (headers: Record<string, string>, method = 'GET') => {
      const answer = await fetch(location, { method, headers })
      const got = Buffer.from(await answer.arrayBuffer())
      expect(Number(answer.headers.get('content-length'))).toBe(method === 'HEAD' ? body.length : got.length)
      return { status: answer.status, part: answer.headers.get('content-range'), got }
    }
    expect(first.headers.get('accept-ranges')).toBe('bytes')
    for (const ifRange of [{}, { 'if-range': etag }]) {
      const { status, part, got } = await ask({ range: 'bytes=100-199', ...ifRange })
      expect([status, part]).toEqual([206, `bytes 100-199/${body.length}`])
      expect(got.equals(body.subarray(100, 200))).toBe(true)
    }
    expect((await ask({ range: 'bytes=-7' })).got.equals(body.subarray(-7))).toBe(true)
    expect(await ask({ range: 'bytes=100-199', 'if-range': '"other"' })).toEqual({ status: 200, part: null, got: body })
    for (const method of ['HEAD', 'POST']) expect((await ask({ range: 'bytes=0-1' }, method)).status).toBe(200)
    const { status, part, got } = await ask({ range: `bytes=${body.length}-` })
    expect([status, part]).toEqual([416, `bytes */${body.length}`])
    expect(got.toString()).toContain(`which has ${body.length} bytes`)
  })

  it('returns 200 at once for a stored result', async () => {
    const once = await defer('30')
    await (await fetch(once)).arrayBuffer()
    const again = await service.post(`anna/30/${service.file(PICTURE)}`)
    // Fetching the source may exceed REDIRECT_AFTER of this service. Then the 303 leads to the same image.
    const answer = again.status === 303 ? await fetch(again.headers.get('location') ?? '') : again
    expect([answer.status, (await sharp(Buffer.from(await answer.arrayBuffer())).metadata()).width]).toEqual([200, 30])
  })

  it('keeps Warnings and the failure, in the form that Accept asks for', async () => {
    const slight = await fetch(await defer('21PX'))
    expect([slight.status, slight.headers.get('warning')]).toEqual([200, expect.stringContaining('299 - ')])
    await slight.arrayBuffer()
    const location = await defer('full', 'http/damaged.png')
    const text = await fetch(location)
    expect([text.status, text.headers.get('content-type'), await text.text()]).toEqual([
      422,
      'text/plain; charset=utf-8',
      expect.stringContaining('damaged'),
    ])
    const json = await fetch(location, { headers: { accept: 'image/*,application/im2+json' } })
    expect(await json.json()).toMatchObject({ status: 422 })
    expect((await fetch(location, { headers: { accept: 'text/html' } })).headers.get('content-type')).toContain(
      'text/html',
    )
  })

  it('charges once, when the image is ready', async () => {
    const location = await defer('22', PICTURE, '', 'one')
    await (await fetch(location)).arrayBuffer()
    await (await fetch(location)).arrayBuffer()
    const refused = await service.post(`one/23/${service.file(PICTURE)}`)
    expect([refused.status, await refused.text()]).toEqual([402, expect.stringContaining('used up')])
  })

  it('every request has its own result address', async () => {
    const [one, other] = [await defer('24'), await defer('24')]
    expect(one).not.toBe(other)
    for (const location of [one, other]) await (await fetch(location)).arrayBuffer()
  })

  it('keeps the result of an upload, although it is no-store', async () => {
    const form = new FormData()
    const picture = await (await fetch(service.file(PICTURE))).blob()
    form.append('file', picture, 'a.png')
    const answer = await service.post('anna/25', { body: form })
    await answer.text()
    expect(answer.status).toBe(303)
    const result = await fetch(answer.headers.get('location') ?? '')
    expect([result.status, result.headers.get('cache-control')]).toEqual([200, 'no-store'])
    await result.arrayBuffer()
  })

  it('work continues when the client disconnects after the 303', async () => {
    const location = await defer('full', 'jpeg/testdata__flower_small.q85_420_non_interleaved.jpg')
    const leaving = new AbortController()
    const waiting = fetch(location, { signal: leaving.signal })
    leaving.abort()
    await expect(waiting).rejects.toThrow()
    const answer = await fetch(location)
    expect(answer.status).toBe(200)
    await answer.arrayBuffer()
  })
})

describe('the address of a result', () => {
  const locationFor = async (env: Record<string, string>, headers: Record<string, string>): Promise<string> => {
    await using started = new AsyncDisposableStack()
    const startWith = () => start({ env: { REDIRECT_AFTER: '1ms', WORKERS: '1', ...env } })
    const other = Object.keys(env).length === 0 ? service : started.use(await startWith())
    // The address is known before the source answers.
    const answer = await other.post(`anna/full/${other.origin.url(`/slow-headers/200/${PICTURE}`)}`, { headers })
    await answer.text()
    return (answer.headers.get('location') ?? '').replace(/[0-9a-f]{32}$/, '').replace(String(other.port), 'PORT')
  }
  const proxy = { 'x-forwarded-proto': 'https', 'x-forwarded-host': 'img.example.com' }
  // nginx, as deployed, drops the forwarding headers of clients.
  const OWN = 'http://127.0.0.1:PORT/-/results/'
  const told = (url: string): string => (PAST_ONE_MACHINE === undefined ? url : OWN)
  it.each<[Record<string, string>, Record<string, string>, string]>([
    [{}, {}, OWN],
    [{}, proxy, OWN],
    [{ TRUST_PROXY: '127.0.0.0/8' }, proxy, told('https://img.example.com/-/results/')],
    [{ TRUST_PROXY: '10.0.0.0/8' }, proxy, OWN],
    [{ TRUST_PROXY: 'true' }, { ...proxy, 'x-forwarded-host': 'a b/c' }, told('https://127.0.0.1:PORT/-/results/')],
    [{ PUBLIC_URL: 'https://cdn.example.com/optim' }, proxy, 'https://cdn.example.com/optim/-/results/'],
  ])('the result address with %j and %j is %s', async (env, headers, expected) =>
    expect(await locationFor(env, headers)).toBe(expected))
})
