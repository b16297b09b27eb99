import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import sharp from 'sharp'
import { afterAll, describe, expect, it } from 'vitest'
import { makeSigningKey, readSigningKey } from '../../src/core/signing-key.ts'
import type { AccountSettings } from '../../src/ports/accounts.ts'
import { signAddress } from '../../src/service/deliver/delivery-right.ts'
import { type ChangingOrigin, type Shown, startChangingOrigin } from '../origin/changing-origin.ts'
import { type Case, FIXTURES, PAST_ONE_MACHINE, start } from './start.ts'

const PHOTO = await readFile(join(FIXTURES, 'jpeg/kodim23-190x158.png'))
const OTHER = await sharp(PHOTO).flip().png().toBuffer()
const TINY = await sharp(PHOTO).resize(8, 8).png().toBuffer()
const PAGE = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8'
const YEAR = 'public, max-age=31536000'
/** Nodes that may be asked. */
const NODES = PAST_ONE_MACHINE === undefined ? 1 : 3

interface Shop extends AsyncDisposable {
  /** The username. */
  readonly name: string
  readonly service: Case
  readonly origin: ChangingOrigin
  readonly get: (target: string, init?: RequestInit) => Promise<Response>
  readonly used: () => Promise<number | undefined>
  /** Changes the account like the command line does. */
  readonly set: (settings: AccountSettings) => Promise<void>
}

interface ShopSetup {
  /** Default: a photograph with bytes of its own, since results are shared by content. */
  readonly shown?: Partial<Shown>
  readonly account?: AccountSettings
  /** Settings of a service of its own, which ends with the test. Default: the service that the tests of this file share. */
  readonly env?: Readonly<Record<string, string>>
}

let shared: Promise<Case> | undefined
/** Origins of the shared service. They stay until the end, so that no other one gets their ports, and with them their results. */
const origins: ChangingOrigin[] = []
afterAll(async () => {
  await (await shared)?.[Symbol.asyncDispose]()
  for (const origin of origins) await origin[Symbol.asyncDispose]()
})

/** Makes an account of its own, which by default delivers from the host of an origin of its own. */
const openShop = async ({ shown, account, env }: ShopSetup = {}): Promise<Shop> => {
  const name = `shop${origins.length}`
  const origin = await startChangingOrigin({ body: Buffer.concat([PHOTO, Buffer.from(name)]), ...shown })
  if (env === undefined) shared ??= start()
  const service = await (env === undefined ? shared! : start({ env }))
  const { withBooks } = service
  await withBooks((books) => books.add(name, account ?? { deliver: [origin.host] }))
  if (env === undefined) origins.push(origin)
  return {
    name,
    service,
    origin,
    get: (target, init) => fetch(`${service.url}/${target}`, { redirect: 'manual', ...init }),
    used: () => withBooks(async (books) => (await books.find(name))?.used),
    set: (settings) => withBooks(async (books) => void (await books.set(name, settings))),
    [Symbol.asyncDispose]: async () => {
      if (env === undefined) return
      await service[Symbol.asyncDispose]()
      await origin[Symbol.asyncDispose]()
    },
  }
}

/** Repeats a request until the search has ended, and returns the last response. */
const searched = async (shop: Shop, target: string): Promise<Response> => {
  const isQuick = async (): Promise<boolean> =>
    /quick first result/.test((await shop.get(target)).headers.get('warning') ?? '')
  await expect.poll(isQuick, { interval: 200 }).toBe(false)
  return shop.get(target)
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
const bytesOf = async (answer: Response): Promise<Buffer> => Buffer.from(await answer.arrayBuffer())
const head = (answer: Response, ...names: string[]) =>
  Object.fromEntries([['status', answer.status], ...names.map((name) => [name, answer.headers.get(name)])])

/** A shop with a signing key, and functions that sign and request the address `url`. `status` adds to 403 whether it names the signature. */
const openSigned = async () => {
  const key = makeSigningKey()
  const shop = await openShop({ account: { signingKey: key } })
  const url = shop.origin.url('/a%20b.png?v=1')
  const sign = (by: string, list = '80') =>
    signAddress(readSigningKey(by)!, { username: shop.name, list, imageUrl: url })
  const status = async (list: string, address = url) => {
    const answer = await shop.get(`${shop.name}/${list}/${address}`)
    const text = answer.status === 200 ? '' : await answer.text()
    return answer.status === 200 ? 200 : `${answer.status} ${/its signature is not that of this address/.test(text)}`
  }
  return Object.assign(shop, { key, url, sign, status })
}

describe('the right to live delivery (§8.1)', () => {
  it('an account without delivery gets 403 with the alternatives, or the page in a browser', async () => {
    await using shop = await openShop({ account: {} })
    for (const username of [shop.name, 'nobody']) {
      const refused = await shop.get(`${username}/full/${shop.origin.url()}`)
      expect(refused.status).toBe(403)
      expect(await refused.text()).toMatch(
        /live delivery is not switched on for this account.*whittle accounts set <username> --deliver/,
      )
    }
    const page = await shop.get(`${shop.name}/full/${shop.origin.url()}`, { headers: { accept: PAGE } })
    expect(head(page, 'content-type')).toEqual({ status: 200, 'content-type': 'text/html; charset=utf-8' })
    expect(shop.origin.asked).toEqual([])
  })

  it('refuses an address of the service itself, and requests no origin', async () => {
    await using shop = await openShop()
    await shop.set({ deliver: [shop.origin.host, new URL(shop.service.url).host] })
    const inner = `${shop.service.url}/${shop.name}/50/${shop.origin.url()}`
    const answer = await shop.get(`${shop.name}/50/${inner}`)
    expect([answer.status, await answer.text()]).toEqual([502, expect.stringContaining('508')])
    expect(shop.origin.asked).toEqual([])
  })

  it('delivers an address with a listed host, by GET and by HEAD', async () => {
    await using shop = await openShop()
    const target = `${shop.name}/100/${shop.origin.url()}`
    const got = await shop.get(target)
    expect(head(got, 'content-type', 'vary', 'x-content-type-options', 'access-control-allow-origin')).toEqual({
      status: 200,
      'content-type': 'image/jpeg',
      vary: 'Accept',
      'x-content-type-options': 'nosniff',
      'access-control-allow-origin': '*',
    })
    const body = await bytesOf(got)
    expect((await sharp(body).metadata()).width).toBe(100)
    const again = await searched(shop, target)
    expect(again.headers.get('cache-control')).toBe(YEAR)
    const asked = await shop.get(target, { method: 'HEAD' })
    expect((await bytesOf(asked)).length).toBe(0)
    const same = ['etag', 'content-length', 'content-type', 'cache-control', 'vary', 'x-score', 'content-disposition']
    expect(head(asked, ...same)).toEqual(head(again, ...same))
  })

  it('a browser gets a page for an opened address, and the image for <img>', async () => {
    await using shop = await openShop()
    const target = `${shop.name}/60/${shop.origin.url()}`
    const typeFor = async (accept: string) => {
      const answer = await shop.get(target, { headers: { accept } })
      await answer.arrayBuffer()
      return [answer.headers.get('content-type'), answer.headers.get('vary')]
    }
    expect(await typeFor(PAGE)).toEqual(['text/html; charset=utf-8', 'Accept'])
    // A quick result may be a PNG when the searched one is a JPEG.
    for (const accept of ['image/png, text/html;q=0.5', '*/*'])
      expect(await typeFor(accept)).toEqual([expect.stringMatching(/^image\/(?:png|jpeg)$/), 'Accept'])
    // Its quick result may be a PNG too.
    const modern = async () => (await typeFor('image/webp,*/*'))[0]
    await expect.poll(modern, { interval: 200 }).toBe('image/webp')
  })

  it.each<[string, AccountSettings, string]>([
    [
      'neither',
      { deliver: ['example.com'], signingKey: makeSigningKey() },
      'is not on the list of this account, and it is not signed (sig=)',
    ],
    ['no listed host', { deliver: ['example.com'] }, 'is not on the list of this account.'],
    ['no signature', { signingKey: makeSigningKey() }, 'delivered: it is not signed (sig=).'],
  ])('an address with %s gets 403, and its origin is not asked', async (_, account, text) => {
    await using shop = await openShop({ account })
    const refused = await shop.get(`${shop.name}/full/${shop.origin.url()}`)
    expect(head(refused, 'cache-control')).toEqual({ status: 403, 'cache-control': 'no-store' })
    expect(await refused.text()).toContain(text)
    expect(shop.origin.asked).toEqual([])
  })

  it('a listed host cannot redirect the service to another host', async () => {
    await using shop = await openShop()
    await using other = await startChangingOrigin({ body: PHOTO })
    const redirect = (location: string) =>
      shop.origin.show({ body: new Uint8Array(), status: 302, headers: { location } })
    redirect(other.url())
    const refused = await shop.get(`${shop.name}/full/${shop.origin.url()}`)
    expect(refused.status).toBe(403)
    expect(await refused.text()).toContain(`redirects to ${other.host}, which is not on the list`)
    expect(other.asked).toEqual([])
    // Anyone can read the username in a page, so a redirect that POST followed gives no right to deliver.
    expect((await shop.service.post(`${shop.name}/60/${shop.origin.url()}`)).status).toBe(200)
    expect((await shop.get(`${shop.name}/60/${shop.origin.url()}`)).status).toBe(403)
    await shop.set({ deliver: [shop.origin.host, other.host] })
    expect((await shop.get(`${shop.name}/60/${shop.origin.url()}`)).status).toBe(200)
  })
})

describe('signed addresses of live delivery (§8.1)', () => {
  it('delivers the signed address, encoded or not, and no other', async () => {
    await using shop = await openSigned()
    const { key, url, sign, status } = shop
    expect(await status(`80,sig=${sign(key)}`)).toBe(200)
    expect(await status(`80,sig=${sign(key)}`, encodeURIComponent(url))).toBe(200)
    expect(await status(`81,sig=${sign(key)}`)).toBe('403 true')
    expect(await status(`80,sig=${sign(key)}`, `${url}&w=2`)).toBe('403 true')
  })

  it('redirects another spelling of a signed address to the canonical one', async () => {
    await using shop = await openSigned()
    const { key, url, sign } = shop
    const other = await shop.get(`${shop.name}/sig=junk,sig=${sign(key).slice(0, 22)},80/${url.replace('//', '/')}`)
    const canonical = `${shop.service.url}/${shop.name}/80,sig=${sign(key)}/${encodeURIComponent(url)}`
    expect(head(other, 'location', 'cache-control')).toEqual({
      status: 303,
      location: canonical,
      'cache-control': 'no-store',
    })
    expect((await fetch(canonical)).status).toBe(200)
  })

  it('accepts signatures of the two newest keys, and none of a removed key', async () => {
    await using shop = await openSigned()
    const { key, sign, status } = shop
    const [second, third] = [makeSigningKey(), makeSigningKey()]
    await shop.set({ signingKey: second })
    expect(await status(`80,sig=${sign(key)}`)).toBe(200)
    expect(await status(`80,sig=${sign(second)}`)).toBe(200)
    await shop.set({ signingKey: third })
    expect(await status(`80,sig=${sign(key)}`)).toBe('403 true')
    await shop.set({ signingKey: null })
    expect(await status(`80,sig=${sign(third)}`)).toBe('403 false')
  })

  it('delivers a signed address until its exp=, limits caches to it, then returns 403 with the time', async () => {
    const key = makeSigningKey()
    await using shop = await openShop({ account: { signingKey: key } })
    const imageUrl = shop.origin.url()
    const get = (expires: number) => {
      const list = `80,exp=${expires}`
      const sig = signAddress(readSigningKey(key)!, { username: shop.name, list, imageUrl })
      return shop.get(`${shop.name}/${list},sig=${sig}/${imageUrl}`)
    }
    const now = Math.floor(Date.now() / 1000)
    expect((await get(now + 3600)).status).toBe(200)
    await expect.poll(async () => (await get(now + 3600)).headers.get('warning')).toBeNull()
    const lifetime = Number(/max-age=(\d+)/.exec((await get(now + 3600)).headers.get('cache-control') ?? '')?.[1])
    expect(lifetime).toBeGreaterThan(3000)
    expect(lifetime).toBeLessThanOrEqual(3600)
    const late = await get(now - 1)
    expect([late.status, /its signature expired at \d{4}-/.test(await late.text())]).toEqual([403, true])
    expect((await shop.service.post(`${shop.name}/80,exp=${now - 1}/${imageUrl}`)).status).toBe(200)
  })
})

describe('fallback images and refusals of live delivery', () => {
  it("returns the account's fallback image for a missing one, with its own lifetime and the reason", async () => {
    await using shop = await openShop({ shown: { status: 404, body: Buffer.from('gone') } })
    await using fallbacks = await startChangingOrigin({ body: PHOTO })
    const target = `${shop.name}/80/${shop.origin.url()}`
    const get = () => shop.get(target, { headers: { accept: 'image/*' } })
    expect((await get()).status).toBe(404)
    await shop.set({ fallback: fallbacks.url(), fallbackMaxAge: 17 })
    const answer = await get()
    expect(head(answer, 'content-type', 'cache-control')).toEqual({
      status: 200,
      'content-type': 'image/jpeg',
      'cache-control': 'public, max-age=17',
    })
    expect(answer.headers.get('warning')).toMatch(/fallback image of the account.*its server answered 404/)
    expect((await sharp(await bytesOf(answer)).metadata()).width).toBe(80)
    expect((await shop.get(`${shop.name}/wibble/${shop.origin.url()}`)).status).toBe(400)
    await fallbacks[Symbol.asyncDispose]()
    await shop.set({ fallback: `${new URL(fallbacks.url()).origin}/other.png` })
    expect((await get()).status).toBe(404)
    await shop.set({ fallback: null })
    expect((await get()).status).toBe(404)
  })

  it('the status does not reveal to unauthorised clients whether an account delivers', async () => {
    await using shop = await openShop({ account: { deliver: ['example.com'], signingKey: makeSigningKey() } })
    const ask = (name: string, [method = '', options = '', source = '']: readonly string[]) =>
      shop.get(`${name}/${options}/${source}`, { method })
    const url = shop.origin.url()
    const tries = ['GET', 'HEAD', 'DELETE'].flatMap((method) =>
      ['full', 'wibble', '', 'info', 'full,sig=AAAA'].flatMap((options) =>
        [url, 'ftp://example.com/', 'nowhere', 'http://[', 'http:/x.y/'].map((source) => [method, options, source]),
      ),
    )
    for (const tried of tries) {
      const statuses = await Promise.all([shop.name, 'anna'].map(async (name) => (await ask(name, tried)).status))
      expect([...tried, statuses]).toEqual([...tried, Array(2).fill(statuses[0])])
    }
  })

  it('a host name adds nothing to the policy of the page that explains its address', async () => {
    await using shop = await openShop()
    for (const host of ['a;script-src%20*', 'a;script-src', 'a,b', "a'b"]) {
      const page = await shop.get(`anna/full/http://${host}/a.png`, { headers: { accept: PAGE } })
      const policy = page.headers.get('content-security-policy') ?? ''
      expect(policy.match(/script-src [^;]*/g)).toEqual(["script-src 'self'"])
      expect(policy).not.toContain(',')
    }
  })

  it('checks username, address, right, options and source in this order', async () => {
    await using shop = await openShop({ account: { deliver: ['example.com'] } })
    const status = async (target: string) => (await shop.get(target)).status
    expect(await status(`${shop.name}/wibble/ftp://example.com/`)).toBe(404)
    expect(await status(`${shop.name}/wibble/${shop.origin.url()}`)).toBe(403)
    expect(await status(`${shop.name}/wibble/https://example.com/`)).toBe(400)
    expect(await status(`${shop.name}/full`)).toBe(405)
    await shop.set({ suspended: true })
    expect(await status(`${shop.name}/wibble/https://example.com/`)).toBe(403)
  })

  it('never delivers from a private address that is not allowed', async () => {
    await using shop = await openShop({ env: { ALLOW_PRIVATE_SOURCES: '10.0.0.0/8' } })
    expect((await shop.get(`${shop.name}/full/${shop.origin.url()}`)).status).toBe(404)
    expect(shop.origin.asked).toEqual([])
  })

  it('an SVG is sanitised and runs nothing', async () => {
    const svg =
      '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><script>alert(1)</script><rect width="9" height="9"/></svg>'
    await using shop = await openShop({ shown: { body: Buffer.from(svg) } })
    const answer = await shop.get(`${shop.name}/full/${shop.origin.url('/a.svg')}`)
    expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'")
    expect(head(answer, 'content-type', 'x-content-type-options')).toEqual({
      status: 200,
      'content-type': 'image/svg+xml',
      'x-content-type-options': 'nosniff',
    })
    expect(await answer.text()).not.toContain('script')
  })
})

describe('quick and searched results (§8.2)', () => {
  it("a small image is searched at once, and cached for its source's lifetime", async () => {
    await using shop = await openShop({ shown: { headers: { 'cache-control': 'max-age=600' } } })
    const answer = await searched(shop, `${shop.name}/16/${shop.origin.url()}`)
    expect(answer.headers.get('cache-control')).toMatch(/^max-age=(600|5\d\d)$/)
    const body = await bytesOf(answer)
    const etag = answer.headers.get('etag')!
    for (const method of ['GET', 'HEAD']) {
      const same = await shop.get(`${shop.name}/16/${shop.origin.url()}`, {
        method,
        headers: { 'if-none-match': etag },
      })
      expect(head(same, 'etag', 'vary')).toEqual({ status: 304, etag, vary: 'Accept' })
      expect(same.headers.get('cache-control')).toMatch(/^max-age=(600|5\d\d)$/)
    }
    const other = await shop.get(`${shop.name}/16/${shop.origin.url()}`, { headers: { 'if-none-match': '"other"' } })
    expect((await bytesOf(other)).equals(body)).toBe(true)
    expect(shop.origin.asked.length).toBe(1)
  })

  it('a large image gets a quick result first, and is searched in the background', async () => {
    const large = await sharp(PHOTO).resize(1600, 1330).png().toBuffer()
    await using shop = await openShop({ shown: { body: large } })
    const target = `${shop.name}/full,format=jpeg/${shop.origin.url()}`
    const quick = await shop.get(target)
    expect(head(quick, 'cache-control', 'content-type')).toEqual({
      status: 200,
      'cache-control': 'public, max-age=60',
      'content-type': 'image/jpeg',
    })
    expect(quick.headers.get('warning')).toMatch(
      /quick first result, (which keeps the quality asked for|whose quality)/,
    )
    expect(quick.headers.get('warning')).not.toContain('smaller one is on its way')
    const quickBody = await bytesOf(quick)
    expect((await sharp(quickBody).metadata()).width).toBe(1600)
    const next = await searched(shop, target)
    expect(head(next, 'cache-control', 'warning')).toEqual({ status: 200, 'cache-control': YEAR, warning: null })
    expect(Number(next.headers.get('x-score'))).toBeGreaterThan(50)
    expect((await bytesOf(next)).length).toBeLessThan(quickBody.length)
    expect(next.headers.get('etag')).not.toBe(quick.headers.get('etag'))
    // Fetched and charged once for all requests.
    expect(shop.origin.asked.length).toBe(1)
    expect(await shop.used()).toBe(1)
  })

  it('replaces a stored AVIF by a smaller one of the same quality with BACKGROUND_EFFORT=more, and charges once', async () => {
    await using shop = await openShop({ env: { BACKGROUND_EFFORT: 'more' } })
    const target = `${shop.name}/full,format=avif/${shop.origin.url()}`
    const first = await bytesOf(await shop.get(target))
    const latest = async (): Promise<number> => (await bytesOf(await shop.get(target))).length
    await expect.poll(latest, { interval: 200 }).toBeLessThan(first.length)
    const improved = await shop.get(target)
    expect(head(improved, 'cache-control', 'warning')).toEqual({ status: 200, 'cache-control': YEAR, warning: null })
    expect(Number(improved.headers.get('x-score'))).toBeGreaterThan(70)
    expect(shop.origin.asked.length).toBe(1)
    expect(await shop.used()).toBe(1)
  })

  it('a source without Cache-Control stays without one when the setting says so', async () => {
    await using shop = await openShop({ env: { DELIVERY_MAX_AGE: '0' } })
    const target = `${shop.name}/16/${shop.origin.url()}`
    expect((await searched(shop, target)).headers.get('cache-control')).toBeNull()
    const before = shop.origin.asked.length
    await (await shop.get(target)).arrayBuffer()
    expect(shop.origin.asked.length).toBe(before + 1)
  })

  it.each([
    [{}, /^private(, max-age=0)?$/],
    [{ 'cache-control': 'max-age=600' }, /^private, max-age=\d+$/],
  ])('a source that was fetched with a password, with %j, is never made public', async (headers, expected) => {
    await using shop = await openShop({ shown: { headers } })
    const target = `${shop.name}/90/${shop.origin.url().replace('//', '//user:password@')}`
    for (let i = 0; i < 2; i++) {
      const answer = await shop.get(target)
      expect(answer.status).toBe(200)
      expect(answer.headers.get('cache-control')).toMatch(expected)
    }
  })

  it.each([
    ['no-cache', /^no-cache$/],
    ['max-age=0', /max-age=0$/],
    ['max-age=5', /max-age=[0-5]$/],
  ])('a source with %s never gets a longer lifetime, by its quick answer neither', async (stated, expected) => {
    const body = await sharp(PHOTO).resize(2400).jpeg().toBuffer()
    await using shop = await openShop({ shown: { body, headers: { 'cache-control': stated } }, env: {} })
    const answer = await shop.get(`${shop.name}/2000/${shop.origin.url()}`)
    expect(answer.headers.get('warning')).toMatch(/quick first result/)
    expect(answer.headers.get('cache-control')).toMatch(expected)
  })

  it.each([
    ['private, max-age=600', /^private, max-age=\d+$/],
    ['no-store', /^no-store$/],
  ])('a source with %s is never made public', async (stated, expected) => {
    await using shop = await openShop({ shown: { headers: { 'cache-control': stated } } })
    for (let i = 0; i < 2; i++) {
      const answer = await shop.get(`${shop.name}/90/${shop.origin.url()}`)
      expect(answer.status).toBe(200)
      expect(answer.headers.get('cache-control')).toMatch(expected)
    }
    if (stated === 'no-store') expect(shop.origin.asked.length).toBe(2)
  })
})

describe('work and charges (§8.3)', () => {
  it('the same address under load is fetched, worked on and charged once', async () => {
    await using shop = await openShop({ env: {} })
    const target = `${shop.name}/120/${shop.origin.url()}`
    const answers = await Promise.all(Array.from({ length: 24 }, () => shop.get(target)))
    const bodies = await Promise.all(answers.map(bytesOf))
    expect(answers.map(({ status }) => status)).toEqual(Array<number>(24).fill(200))
    // On a busy machine the first results are quick ones.
    const kinds = new Set(answers.map(({ headers }) => headers.get('warning')))
    expect(new Set(bodies.map((body) => body.toString('base64'))).size).toBe(kinds.size)
    expect(shop.origin.asked.length).toBe(1)
    expect(await shop.service.metric('whittle_results_total')).toBe(1)
    expect(await shop.used()).toBe(1)
  })

  it('a stored result is delivered without charge, even with a used-up quota', async () => {
    await using shop = await openShop()
    await shop.set({ quota: 1 })
    const first = await shop.get(`${shop.name}/50/${shop.origin.url()}`)
    // The response is public, so it does not show the rest of the quota.
    expect(head(first, 'x-quota-remaining')).toEqual({ status: 200, 'x-quota-remaining': null })
    expect((await shop.get(`${shop.name}/50/${shop.origin.url()}`)).status).toBe(200)
    expect((await shop.get(`${shop.name}/51/${shop.origin.url()}`)).status).toBe(402)
    expect(await shop.used()).toBe(1)
  })

  it('the rate limits new results by unsigned addresses, not signed or stored ones', async () => {
    await using shop = await openShop({ env: { DELIVERY_RATE: '2' } })
    const key = makeSigningKey()
    await shop.set({ signingKey: key })
    const imageUrl = shop.origin.url()
    const status = async (list: string) => (await shop.get(`${shop.name}/${list}/${imageUrl}`)).status
    expect([await status('50'), await status('51')]).toEqual([200, 200])
    const refused = await shop.get(`${shop.name}/52/${imageUrl}`)
    expect(head(refused, 'retry-after')).toEqual({ status: 429, 'retry-after': '60' })
    expect(await status('50')).toBe(200)
    const sig = signAddress(readSigningKey(key)!, { username: shop.name, list: '53', imageUrl })
    expect(await status(`53,sig=${sig}`)).toBe(200)
    await shop.set({ limits: { rate: 1 } })
    expect(await status('50')).toBe(200)
  })

  it.each([
    ['image', '50'],
    ['information', 'info'],
  ])('asks no origin for an %s by an unsigned address beyond the rate', async (_what, list) => {
    await using shop = await openShop({ env: { DELIVERY_RATE: '2' } })
    const status = async (i: number) =>
      (await shop.get(`${shop.name}/${list}/${shop.origin.url(`/${i}.png`)}`, { method: 'HEAD' })).status
    const statuses = await Promise.all(Array.from({ length: 12 }, (_, i) => status(i)))
    expect(statuses.toSorted()).toEqual([200, 200, ...Array<number>(10).fill(429)])
    expect(shop.origin.asked).toHaveLength(2)
  })

  it.each(['50', 'info'])('asks no origin for %s when the quota is used up', async (list) => {
    await using shop = await openShop()
    await shop.set({ quota: 0 })
    expect((await shop.get(`${shop.name}/${list}/${shop.origin.url()}`)).status).toBe(402)
    expect(shop.origin.asked).toEqual([])
  })

  it('one image at two addresses is charged once, even if a client disconnects', async () => {
    const large = await sharp(PHOTO).resize(1600, 1330).png().toBuffer()
    await using shop = await openShop({ shown: { body: large }, env: {} })
    // One more than is charged: an account without quota causes no fetch.
    await shop.set({ quota: 2 })
    const stays = shop.get(`${shop.name}/1500/${shop.origin.url('/a.png')}`)
    await expect.poll(shop.used).toBe(1)
    const leaving = new AbortController()
    const leaves = shop.get(`${shop.name}/1500/${shop.origin.url('/b.png')}`, { signal: leaving.signal }).then(
      ({ status }) => status,
      () => 'left',
    )
    await expect.poll(() => shop.origin.asked.length).toBe(2)
    await pause(150)
    leaving.abort()
    expect([await leaves, (await stays).status]).toEqual(['left', 200])
    await pause(500)
    expect(await shop.used()).toBe(1)
  })

  it('a result that may not be stored is computed and charged per request', async () => {
    await using shop = await openShop({ shown: { headers: { 'cache-control': 'no-store' } } })
    for (let i = 0; i < 2; i++) expect((await shop.get(`${shop.name}/50/${shop.origin.url()}`)).status).toBe(200)
    expect(await shop.used()).toBe(2)
  })

  it('an abandoned request leaves no files', async () => {
    const large = await sharp(PHOTO).resize(1600, 1330).png().toBuffer()
    await using shop = await openShop({ shown: { body: large }, env: {} })
    const leaving = new AbortController()
    const gone = shop.get(`${shop.name}/1500/${shop.origin.url()}`, { signal: leaving.signal })
    await expect.poll(() => shop.origin.asked.length).toBe(1)
    leaving.abort()
    await expect(gone).rejects.toThrow()
    await expect.poll(shop.used).toBe(0)
    await shop.service.stop()
    // The work directory is removed shortly after its worker ends.
    await expect.poll(shop.service.leftovers).toEqual([])
  })
})

describe('revalidation of the source (§8.4)', () => {
  const fresh = { 'cache-control': 'max-age=1', etag: '"one"' }
  it.each([
    ['ETag', { etag: '"one"' }, 'if-none-match', '"one"'],
    [
      'Last-Modified',
      { 'last-modified': 'Mon, 01 Jan 2024 00:00:00 GMT' },
      'if-modified-since',
      'Mon, 01 Jan 2024 00:00:00 GMT',
    ],
  ])('the source is revalidated with its %s after its lifetime', async (_, validator, name, value) => {
    const headers: Record<string, string> = { 'cache-control': 'max-age=1', ...validator }
    await using shop = await openShop({ shown: { headers } })
    const target = `${shop.name}/40/${shop.origin.url()}`
    const first = await bytesOf(await searched(shop, target))
    await pause(1100)
    await bytesOf(await shop.get(target))
    await bytesOf(await shop.get(target))
    const before = shop.origin.asked.length
    await pause(1100)
    expect((await bytesOf(await shop.get(target))).equals(first)).toBe(true)
    expect(shop.origin.asked.slice(before).map(({ status, headers: sent }) => [status, sent[name]])).toEqual([
      [304, value],
    ])
    expect(await shop.used()).toBe(1)
  })

  it('a changed source is delivered', async () => {
    await using shop = await openShop({ shown: { headers: fresh } })
    const target = `${shop.name}/40/${shop.origin.url()}`
    const first = await bytesOf(await searched(shop, target))
    shop.origin.show({ body: OTHER, headers: { ...fresh, etag: '"two"' } })
    await pause(1100)
    expect((await bytesOf(await shop.get(target))).equals(first)).toBe(false)
    expect(await shop.used()).toBe(2)
  })

  it('a source that was too large is asked for again after its lifetime', async () => {
    await using shop = await openShop({ shown: { headers: fresh }, env: { MAX_PIXELS: '100' } })
    const target = `${shop.name}/40/${shop.origin.url()}`
    expect((await shop.get(target)).status).toBe(413)
    shop.origin.show({ body: TINY, headers: { ...fresh, etag: '"two"' } })
    await pause(1100)
    expect((await shop.get(target)).status).toBe(200)
  })

  it('a failing origin makes the stored result stale, with a Warning, and is not asked for a while', async () => {
    await using shop = await openShop({ shown: { headers: fresh } })
    const target = `${shop.name}/40/${shop.origin.url()}`
    const first = await bytesOf(await searched(shop, target))
    await pause(1100)
    shop.origin.show('away')
    const before = shop.origin.asked.length
    for (let i = 0; i < 3 * NODES; i++) {
      const stale = await shop.get(target)
      expect(head(stale, 'cache-control')).toEqual({ status: 200, 'cache-control': 'public, max-age=1' })
      expect(stale.headers.get('warning')).toContain('The server of the image does not answer')
      expect((await bytesOf(stale)).equals(first)).toBe(true)
    }
    // Each node asks it once.
    expect(shop.origin.asked.length).toBeGreaterThan(before)
    expect(shop.origin.asked.length).toBeLessThanOrEqual(before + NODES)
    // A result that was never computed is unavailable.
    expect((await shop.get(`${shop.name}/41/${shop.origin.url()}`)).status).toBe(502)
  })

  it('a removed source returns its status', async () => {
    await using shop = await openShop({ shown: { headers: fresh } })
    const target = `${shop.name}/40/${shop.origin.url()}`
    expect((await shop.get(target)).status).toBe(200)
    shop.origin.show({ body: new Uint8Array(), status: 404 })
    await pause(1100)
    expect((await shop.get(target)).status).toBe(404)
  })
})

describe('purging (§8.5)', () => {
  it("removes every stored result of the source, including those of POST, with the account's key only", async () => {
    const [old, key] = [makeSigningKey(), makeSigningKey()]
    await using shop = await openShop()
    await shop.set({ signingKey: old })
    await shop.set({ signingKey: key })
    const url = shop.origin.url()
    for (const list of ['30', '31']) await bytesOf(await searched(shop, `${shop.name}/${list}/${url}`))
    expect((await shop.service.post(`${shop.name}/32/${url}`)).status).toBe(200)
    shop.origin.show({ body: OTHER })
    const purge = (authorization?: string) =>
      shop.get(`${shop.name}/full/${url}`, {
        method: 'DELETE',
        ...(authorization === undefined ? {} : { headers: { authorization } }),
      })
    for (const wrong of [undefined, `Bearer ${makeSigningKey()}`, `Basic ${key}`, 'Bearer shop']) {
      const refused = await purge(wrong)
      expect(refused.status).toBe(403)
      expect(await refused.text()).toContain('Authorization: Bearer')
    }
    const before = await bytesOf(await shop.get(`${shop.name}/30/${url}`))
    const purged = await purge(`Bearer ${old}`)
    expect(purged.status).toBe(200)
    const count = Number(/^(\d+) stored results/.exec(await purged.text())?.[1])
    expect(count).toBeGreaterThanOrEqual(3)
    expect((await bytesOf(await shop.get(`${shop.name}/30/${url}`))).equals(before)).toBe(false)
    expect(await (await purge(`Bearer ${key}`)).text()).toMatch(/^[12] stored results? /)
    // The same image is searched again.
    expect((await searched(shop, `${shop.name}/30/${url}`)).headers.get('cache-control')).toBe(YEAR)
  })

  it('a concurrent search does not undo a purge', async () => {
    const large = await sharp(PHOTO).resize(1600, 1330).png().toBuffer()
    const key = makeSigningKey()
    await using shop = await openShop({ shown: { body: large }, env: {} })
    await shop.set({ signingKey: key })
    const target = `${shop.name}/full,format=jpeg/${shop.origin.url()}`
    const isQuick = async () => /quick first/.test((await shop.get(target)).headers.get('warning') ?? '')
    expect(await isQuick()).toBe(true)
    const purged = await shop.get(target, { method: 'DELETE', headers: { authorization: `Bearer ${key}` } })
    expect(await purged.text()).toMatch(/^1 stored result /)
    await expect.poll(() => shop.service.metric('whittle_workers_busy')).toBe(0)
    expect(await isQuick()).toBe(true)
  })
})

it('stretch of old pages is read as crop, in delivery and POST alike (§8.6)', async () => {
  await using shop = await openShop()
  const target = `${shop.name}/60x60,stretch/${shop.origin.url()}`
  for (const answer of [await shop.get(target), await shop.service.post(target)]) {
    expect(answer.headers.get('warning')).toContain('stretch was read as crop')
    const { width, height } = await sharp(await bytesOf(answer)).metadata()
    expect([width, height]).toEqual([60, 60])
  }
})

it('neither keys nor signatures are logged', async () => {
  const key = makeSigningKey()
  const lines: string[] = []
  await using service = await start({
    alone: true,
    accounts: { shop: { signingKey: key } },
    logTo: (line) => lines.push(line),
  })
  const imageUrl = service.file('jpeg/kodim23-190x158.png')
  const sig = signAddress(readSigningKey(key)!, { username: 'shop', list: '20', imageUrl })
  const answer = await fetch(`${service.url}/shop/20,sig=${sig}/${imageUrl}`)
  expect(answer.status).toBe(200)
  await fetch(`${service.url}/shop/20/${imageUrl}`, { method: 'DELETE', headers: { authorization: `Bearer ${key}` } })
  await service.stop()
  expect(lines.filter((line) => line.includes('"answered"')).length).toBe(2)
  expect(lines.join('')).not.toContain(sig.slice(0, 20))
  expect(lines.join('')).not.toContain(key)
})
