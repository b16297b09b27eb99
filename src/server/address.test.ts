import { describe, expect, it } from 'vitest'
import { splitTarget } from './address.ts'

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
  ])("recognises the service's own address %s", (target, address) => {
    expect(splitTarget(target)).toEqual(address)
  })

  it('removes the path prefix, also when a proxy has removed it', () => {
    const bare = splitTarget('/demo/full/https://example.com/a.png')
    expect(splitTarget('/img/v1/demo/full/https://example.com/a.png', '/img/v1')).toEqual(bare)
    expect(splitTarget('/demo/full/https://example.com/a.png', '/img/v1')).toEqual(bare)
    expect(splitTarget('/img/v1', '/img/v1')).toEqual({ kind: 'home' })
    expect(splitTarget('/img/v1x/full', '/img/v1')).toMatchObject({ username: 'img' })
  })
})
