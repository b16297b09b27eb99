import { afterEach, describe, expect, it, vi } from 'vitest'
import { whittle } from '../../packages/client/src/client.ts'
import { whittleLoader } from '../../packages/client/src/next/loader.ts'
import { signedLoader } from '../../packages/client/src/next/signed-loader.ts'
import { makeSigningKey } from '../../src/core/signing-key.ts'

const settings = { base: 'https://images.e.com/', account: 'shop', site: 'https://e.com/' }
const load = whittleLoader(settings)

describe('a loader', () => {
  it.each([
    [{ src: 'https://o.com/a b.png', width: 640 }, '640/https%3A%2F%2Fo.com%2Fa%20b.png'],
    [{ src: '//o.com/a.png', width: 640 }, '640/https%3A%2F%2Fo.com%2Fa.png'],
    [{ src: '/a.png', width: 64, quality: 90 }, '64,quality=high/https%3A%2F%2Fe.com%2Fa.png'],
    [{ src: '/a.png', width: 64, quality: 75 }, '64,quality=medium/https%3A%2F%2Fe.com%2Fa.png'],
  ])('returns the address for %j', (props, address) => expect(load(props)).toBe(`https://images.e.com/shop/${address}`))

  it('applies defaults, and prefers the quality of the image', () => {
    const webp = whittleLoader({ ...settings, defaults: { quality: 'high', format: 'webp' } })
    expect(webp({ src: '/a.png', width: 64 })).toContain('/64,quality=high,format=webp/')
    expect(webp({ src: '/a.png', width: 64, quality: 50 })).toContain('/64,quality=low,format=webp/')
  })

  it('names the missing setting for images of the site', () => {
    expect(() => whittleLoader({ base: 'https://images.e.com', account: 'shop' })({ src: '/a.png', width: 9 })).toThrow(
      'set site',
    )
  })
})

describe('a loader in development', () => {
  afterEach(() => vi.unstubAllEnvs())
  it('leaves images of the site alone, and delivers others', () => {
    vi.stubEnv('NODE_ENV', 'development')
    expect(load({ src: '/a.png', width: 64 })).toBe('/a.png?w=64')
    expect(load({ src: '/a.png?v=1', width: 64 })).toBe('/a.png?v=1&w=64')
    expect(load({ src: 'https://o.com/a.png', width: 64 })).toContain('/shop/64/')
    expect(whittleLoader({ ...settings, dev: 'optimise' })({ src: '/a.png', width: 64 })).toContain('/shop/64/')
    expect(signedLoader({ ...settings, key: makeSigningKey() })({ src: '/a.png', width: 64 })).toBe('/a.png?w=64')
  })
})

it('a signed loader signs as the client does, and requires a key', async () => {
  const key = makeSigningKey()
  const sources = ['https://o.com/a b.png?x=1', 'HTTPS://o.com/\u00e9.png']
  for (const src of sources) {
    const signed = await whittle(settings.base, 'a.shop').url(src).resize(640).quality('low').signed(key)
    expect(signedLoader({ ...settings, account: 'a.shop', key })({ src, width: 640, quality: 40 })).toBe(signed)
  }
  expect(() => signedLoader({ ...settings, key: undefined })).toThrow('There is no key')
  expect(() => signedLoader({ ...settings, key: '' })).toThrow('There is no key')
})
