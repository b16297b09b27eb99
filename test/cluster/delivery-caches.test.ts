import { randomBytes } from 'node:crypto'
import sharp from 'sharp'
import { describe, expect, it } from 'vitest'
import { openSqliteAccounts } from '../../src/adapters/accounts/sqlite.ts'
import { makeSigningKey } from '../../src/core/signing-key.ts'
import { start } from '../http/start.ts'
import { type Cache, startNginxCache, startVarnish } from './servers/caches.ts'

const PHOTO = 'jpeg/kodim23-190x158.png'
const CHROMIUM = 'image/avif,image/webp,image/apng,image/svg+xml,image/*,*/*;q=0.8'
const FIREFOX = 'image/avif,image/webp,image/png,image/svg+xml,image/*;q=0.8,*/*;q=0.5'
const SAFARI = 'image/webp,image/avif,video/*;q=0.8,image/png,image/*;q=0.8,*/*;q=0.5'

/** A PNG of noise that weighs a little more than 2 MB. */
const heavyPng = async (): Promise<Uint8Array<ArrayBuffer>> => {
  const [width, height] = [850, 850]
  const pixels = randomBytes(width * height * 3)
  return new Uint8Array(
    await sharp(pixels, { raw: { width, height, channels: 3 } })
      .png()
      .toBuffer(),
  )
}

const isHit = (answer: Response): boolean => /^(?:HIT|[1-9]\d*)$/.test(answer.headers.get('x-cache') ?? '')

describe.each<[string, (service: number) => Promise<Cache>]>([
  ['nginx', startNginxCache],
  ['Varnish', startVarnish],
])('%s in front of live delivery, as deploy/ has it (§8)', (_, startCache) => {
  it('keeps one copy for all browsers of a kind, lets POST and DELETE through, and goes on while the service is away', async () => {
    const key = makeSigningKey()
    const service = await start({ alone: true, accounts: { shop: { signingKey: key } } })
    const books = await openSqliteAccounts({ path: `${service.dataDir}/accounts.sqlite`, trialQuota: 1 })
    await books.set('shop', { deliver: [`127.0.0.1:${service.origin.port}`] })
    await books.close()
    await using cache = await startCache(service.port)
    const target = `shop/24/${service.file(PHOTO)}`
    const get = async (accept: string, init: RequestInit = {}) => {
      const answer = await fetch(`${cache.url}/${target}`, { headers: { accept }, ...init })
      await answer.arrayBuffer()
      return answer
    }
    const direct = async (accept: string) => {
      const answer = await fetch(`${service.url}/${target}`, { method: 'HEAD', headers: { accept } })
      return answer.headers.get('cache-control')
    }
    for (const accept of [CHROMIUM, '*/*'])
      await expect.poll(() => direct(accept), { interval: 200 }).toBe('public, max-age=31536000')

    const first = await get(CHROMIUM)
    const type = first.headers.get('content-type')
    expect([first.status, isHit(first)]).toEqual([200, false])
    expect(type).toBe('image/webp')
    for (const accept of [CHROMIUM, FIREFOX, SAFARI]) {
      const again = await get(accept)
      expect([again.headers.get('content-type'), isHit(again)]).toEqual([type, true])
      expect(again.headers.get('etag')).toBe(first.headers.get('etag'))
    }
    expect((await get('*/*')).headers.get('content-type')).toBe('image/png')
    expect((await get('text/html,*/*')).headers.get('content-type')).toContain('text/html')
    expect(
      (await get(CHROMIUM, { headers: { accept: CHROMIUM, 'if-none-match': first.headers.get('etag')! } })).status,
    ).toBe(304)
    expect((await get('*/*', { method: 'POST' })).status).toBe(200)
    expect((await get('*/*', { method: 'DELETE' })).status).toBe(403)
    const authorization = `Bearer ${key}`
    expect((await get('*/*', { method: 'DELETE', headers: { authorization } })).status).toBe(200)
    expect((await fetch(`${cache.url}/-/metrics`)).status).toBe(404)

    await service.stop()
    const away = await get(CHROMIUM)
    expect([away.status, away.headers.get('etag')]).toEqual([200, first.headers.get('etag')])
    await service[Symbol.asyncDispose]()
  })

  it('lets an upload of 2 MB through, and no client choose the host of the addresses in a page', async () => {
    await using service = await start({ alone: true, env: { TRUST_PROXY: '1' } })
    await using cache = await startCache(service.port)
    const body = await heavyPng()
    expect(body.length).toBeGreaterThan(2e6)
    const headers = { 'content-type': 'image/png' }
    const answer = await fetch(`${cache.url}/anna/40`, { method: 'POST', body, headers })
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, expect.stringMatching(/^image\//)])
    const page = await fetch(`${cache.url}/anna/40/${service.file(PHOTO)}`, {
      headers: { accept: 'text/html', 'x-forwarded-host': 'attacker.example' },
    })
    const text = await page.text()
    expect(text).toContain(new URL(cache.url).host)
    expect(text).not.toContain('attacker.example')
  })
})
