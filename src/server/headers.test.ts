import { describe, expect, it } from 'vitest'
import { namesMediaType, reasonPhrase, serverTiming, warningValues } from './headers.ts'

describe('warningValues', () => {
  it('quotes and escapes Warnings, in printable ASCII', () => {
    expect(warningValues(['a "b" \\ c', 'ümläut\r\nX: y'])).toEqual(['299 - "a \\"b\\" \\\\ c"', '299 - "?ml?ut X: y"'])
  })
  it('returns at most 8 distinct Warnings of at most 200 bytes', () => {
    const values = warningValues([...Array.from({ length: 20 }, (_, n) => `${n}`), '1', 'x'.repeat(900)])
    expect(values).toHaveLength(8)
    expect(warningValues(['x'.repeat(900)])[0]).toHaveLength(200 + '299 - ""'.length)
    expect(warningValues(['same', 'same'])).toHaveLength(1)
  })
  it('a shortened Warning never ends inside an escape', () => {
    expect(warningValues([`${'"'.repeat(300)}`])[0]).toMatch(/^299 - "(?:\\"|[^"\\])*"$/)
  })
})

describe('reasonPhrase', () => {
  it('the reason phrase is the first sentence', () =>
    expect(reasonPhrase('No such account. Check it.')).toBe('No such account.'))
  it('the reason phrase never breaks the status line', () =>
    expect(reasonPhrase('a\r\nSet-Cookie: é')).toBe('a Set-Cookie: ?'))
})

describe('names', () => {
  it.each([
    ['image/webp', true],
    ['text/html, image/webp;q=0.8', true],
    ['IMAGE/WEBP', true],
    ['image/*', false],
    ['*/*', false],
    ['image/webp;q=0', false],
    ['image/webp2', false],
    [undefined, false],
  ])('%s: %s', (accept, is) => expect(namesMediaType(accept, 'image/webp')).toBe(is))
})

it('lists stages as Server-Timing', () => {
  expect(serverTiming({ fetch: 12.345, 'a b': 1 })).toBe('fetch;dur=12.3, a_b;dur=1.0')
})
