import { describe, expect, it } from 'vitest'
import { start } from './start.ts'

const home = async (url: string, headers: Record<string, string> = {}): Promise<string> =>
  (await fetch(`${url}/`, { headers })).text()

const accountIn = (page: string): string => /&quot;account&quot;:&quot;([^&]*)&quot;/.exec(page)?.[1] ?? 'none'

describe('the base address', () => {
  it.each([
    ['auto', 'has the playground for the account demo', 'demo'],
    ['on', 'has the playground', 'demo'],
    ['off', 'has a short text', 'none'],
  ])('the base address with PLAYGROUND=%s %s', async (PLAYGROUND, _, account) => {
    await using service = await start({ env: { PLAYGROUND }, demo: true })
    expect(accountIn(await home(service.url))).toBe(account)
  })

  it('offers no account without a demo', async () => {
    await using service = await start()
    expect(accountIn(await home(service.url))).toBe('')
  })

  it('clients behind a proxy get no playground unless it is on', async () => {
    const forwarded = { 'x-forwarded-for': '203.0.113.7' }
    await using auto = await start({ demo: true })
    expect(accountIn(await home(auto.url, forwarded))).toBe('none')
    await using on = await start({ env: { PLAYGROUND: 'on' }, demo: true })
    expect(accountIn(await home(on.url, forwarded))).toBe('')
  })

  it('loads and sends nothing beyond the service itself', async () => {
    await using service = await start()
    const answer = await fetch(`${service.url}/`)
    expect(answer.headers.get('content-security-policy')).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; img-src 'self' blob:; media-src blob:; connect-src 'self'",
    )
    const addresses = [...(await answer.text()).matchAll(/(?:src|href)="([^"]*)"/g)].map(([, address]) => address!)
    expect(addresses.length).toBeGreaterThan(3)
    for (const address of addresses) expect(address).toMatch(/^\/(-\/(page\/[\w.]+|options|openapi\.json))?$/)
    for (const address of addresses) expect((await fetch(service.url + address)).status).toBe(200)
  })

  it('the playground works under a path prefix', async () => {
    await using service = await start({ env: { PATH_PREFIX: '/images' } })
    const page = await home(service.url)
    const [, script] = /<script type="module" src="([^"]*)"/.exec(page) ?? []
    expect(script).toBe('/images/-/page/playground.js')
    expect((await fetch(new URL(script!, service.url))).headers.get('content-type')).toContain('text/javascript')
  })
})

describe('files of the pages', () => {
  it('unchanged files of the pages get 304', async () => {
    await using service = await start()
    const first = await fetch(`${service.url}/-/page/page.css`)
    const again = await fetch(`${service.url}/-/page/page.css`, {
      headers: { 'if-none-match': first.headers.get('etag')! },
    })
    expect([first.status, again.status]).toEqual([200, 304])
    expect(first.headers.get('cache-control')).toBe('no-cache')
  })
})
