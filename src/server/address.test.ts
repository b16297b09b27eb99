import { describe, expect, it } from 'vitest'
import { Failure } from '../core/failure.ts'
import { isMisplacedUrl, readImageUrl, splitTarget } from './address.ts'

describe('splitTarget', () => {
  it.each([
    ['/demo/full/https://example.com/a.png', 'demo', 'full', 'https://example.com/a.png'],
    ['/demo/full/https://example.com/a%20b,c.png?x=1&y=/z', 'demo', 'full', 'https://example.com/a%20b,c.png?x=1&y=/z'],
    ['/demo/100x50,crop/https%3A%2F%2Fexample.com%2Fa.png', 'demo', '100x50,crop', 'https%3A%2F%2Fexample.com%2Fa.png'],
    ['/demo/full', 'demo', 'full', undefined],
    ['/demo/full/', 'demo', 'full', undefined],
    ['/demo/full?x=1', 'demo', 'full', undefined],
    ['/demo/full/?x=1', 'demo', 'full', undefined],
    ['/demo', 'demo', undefined, undefined],
    ['/demo/', 'demo', undefined, undefined],
    ['//demo/full/https://example.com/a.png', '', 'demo', 'full/https://example.com/a.png'],
    ['/a%20b/full', 'a%20b', 'full', undefined],
    ['http://whittle.test/demo/full/http://example.com/', 'demo', 'full', 'http://example.com/'],
    ['/demo/https://example.com/a.png', 'demo', 'https:', '/example.com/a.png'],
  ])('reads %s', (target, username, options, imageUrl) => {
    expect(splitTarget(target)).toEqual({ kind: 'image', username, options, imageUrl })
  })

  it.each([
    ['/', { kind: 'home' }],
    ['/?a', { kind: 'home' }],
    ['/-/live', { kind: 'own', path: '/-/live' }],
    ['/-/results/abc?x', { kind: 'own', path: '/-/results/abc' }],
  ])('knows its own address %s', (target, address) => {
    expect(splitTarget(target)).toEqual(address)
  })

  it('takes a path prefix off, and works where a proxy took it off already', () => {
    const bare = splitTarget('/demo/full/https://example.com/a.png')
    expect(splitTarget('/img/v1/demo/full/https://example.com/a.png', '/img/v1')).toEqual(bare)
    expect(splitTarget('/demo/full/https://example.com/a.png', '/img/v1')).toEqual(bare)
    expect(splitTarget('/img/v1', '/img/v1')).toEqual({ kind: 'home' })
    expect(splitTarget('/img/v1x/full', '/img/v1')).toMatchObject({ username: 'img' })
  })
})

describe('readImageUrl', () => {
  it.each([
    ['https://example.com/a%20b,c.png?x=1', 'https://example.com/a%20b,c.png?x=1'],
    ['https%3A%2F%2Fexample.com%2Fa%2520b.png', 'https://example.com/a%20b.png'],
    ['https%3a%2f%2fexample.com%2Fa.png%3Fx%3D1%26y', 'https://example.com/a.png?x=1&y'],
    ['https:%2F%2Fexample.com%2Fa.png', 'https://example.com/a.png'],
    ['https%3A//example.com/a.png', 'https://example.com/a.png'],
    ['https:/example.com/a.png', 'https://example.com/a.png'],
    ['https%3A%2Fexample.com%2Fa.png', 'https://example.com/a.png'],
    ['HTTP://Example.com/A.png', 'http://example.com/A.png'],
    ['https://user:pa%3Ass@example.com/a.png', 'https://user:pa%3Ass@example.com/a.png'],
    ['https://example.com/a%2Fb%252F.png', 'https://example.com/a%2Fb%252F.png'],
    ['https://example.com/https%3A%2F%2Fother.com', 'https://example.com/https%3A%2F%2Fother.com'],
    ['https://example.com/a.png#part', 'https://example.com/a.png'],
  ])('reads %s', (given, url) => {
    expect(readImageUrl(given).href).toBe(url)
  })

  it.each([
    ['example.com/a.png', 404],
    ['/example.com/a.png', 404],
    ['//example.com/a.png', 404],
    ['ftp://example.com/a.png', 404],
    ['data:image/png;base64,AAAA', 404],
    ['file:///etc/passwd', 404],
    ['javascript:alert(1)', 404],
    ['https://', 400],
    ['https://exa mple.com/', 400],
    ['https%3A%2F%2Fexample.com%2F%ZZ', 400],
    ['http://[::1/', 400],
  ])('refuses %s with %i', (given, status) => {
    const attempt = (): unknown => readImageUrl(given)
    expect(attempt).toThrow(Failure)
    try {
      attempt()
    } catch (error) {
      expect((error as Failure).status).toBe(status)
    }
  })
})

describe('isMisplacedUrl', () => {
  it.each([
    ['https:', true],
    ['http%3A%2F%2Fx.com', true],
    ['HTTPS:', true],
    ['full', false],
    ['http', false],
  ])('%s: %s', (segment, is) => {
    expect(isMisplacedUrl(segment)).toBe(is)
  })
})
