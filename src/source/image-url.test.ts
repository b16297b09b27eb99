import { describe, expect, it } from 'vitest'
import { Failure } from '../core/failure.ts'
import { isMisplacedUrl, readImageUrl } from './image-url.ts'

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
