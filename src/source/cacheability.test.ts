import { describe, expect, it } from 'vitest'
import { ageCacheControl, cacheabilityOf, type SourceHeaders } from './cacheability.ts'

const NOW = Date.UTC(2030, 0, 1, 12, 0, 0)
const date = (seconds: number): string => new Date(NOW + seconds * 1000).toUTCString()
const control = (headers: SourceHeaders): string | undefined => cacheabilityOf(headers, NOW).cacheControl

describe('Cache-Control equivalent to the cacheability of the source', () => {
  it.each<[string, SourceHeaders, string | undefined]>([
    ['nothing said, nothing sent', {}, undefined],
    ['Age alone says nothing', { age: '5' }, undefined],
    ['passed through', { 'cache-control': 'public, max-age=3600' }, 'public, max-age=3600'],
    ['normalised', { 'cache-control': ' Public ,,MAX-AGE = "60" , Immutable' }, 'public, max-age=60, immutable'],
    ['several headers are one', { 'cache-control': ['public', 'max-age=60'] }, 'public, max-age=60'],
    ['less the age', { 'cache-control': 'max-age=3600, s-maxage=7200', age: '600' }, 'max-age=3000, s-maxage=6600'],
    ['never below zero', { 'cache-control': 'max-age=60', age: '600' }, 'max-age=0'],
    ['the first of two ages', { 'cache-control': 'max-age=60', age: '10, 20' }, 'max-age=50'],
    ['an age that is no number', { 'cache-control': 'max-age=60', age: '-10' }, 'max-age=60'],
    [
      'other numbers do not age',
      { 'cache-control': 'max-age=60, stale-while-revalidate=30', age: '10' },
      'max-age=50, stale-while-revalidate=30',
    ],
    ['the first of two lifetimes', { 'cache-control': 'max-age=60, max-age=90' }, 'max-age=60'],
    ['a lifetime that cannot be read is over', { 'cache-control': 'max-age=1h' }, 'max-age=0'],
    ['negative', { 'cache-control': 'max-age=-1' }, 'max-age=0'],
    ['enormous', { 'cache-control': 'max-age=99999999999999999999' }, 'max-age=2147483648'],
    ['Expires since Date', { expires: date(900), date: date(-100) }, 'max-age=1000'],
    ['Expires since now', { expires: date(900) }, 'max-age=900'],
    ['Expires less Age', { expires: date(900), date: date(0), age: '100' }, 'max-age=800'],
    [
      'Expires next to a Cache-Control without lifetime',
      { 'cache-control': 'public', expires: date(60) },
      'public, max-age=60',
    ],
    ['max-age outranks Expires', { 'cache-control': 'max-age=10', expires: date(60) }, 'max-age=10'],
    ['no-store outranks Expires', { 'cache-control': 'no-store', expires: date(60) }, 'no-store'],
    ['Expires in the past', { expires: date(-60) }, 'max-age=0'],
    ['Expires: 0', { expires: '0' }, 'max-age=0'],
    ['Expires: -1', { expires: '-1' }, 'max-age=0'],
    ['Expires in the old form', { expires: 'Tuesday, 01-Jan-30 12:01:00 GMT' }, 'max-age=60'],
    ['Expires in the C form', { expires: 'Tue Jan  1 12:01:00 2030' }, 'max-age=60'],
    ['Pragma', { pragma: 'no-cache' }, 'no-cache'],
    ['Cache-Control outranks Pragma', { 'cache-control': 'max-age=60', pragma: 'no-cache' }, 'max-age=60'],
    [
      'field names are not passed on',
      { 'cache-control': 'private="set-cookie, x", no-cache=foo' },
      'private, no-cache',
    ],
    ['junk is left out', { 'cache-control': 'max-age=60, \u00e9=1, a b, ;;' }, 'max-age=60'],
    ['an extension stays', { 'cache-control': 'max-age=60, community="U, C"' }, 'max-age=60, community="U, C"'],
  ])('%s: %j', (_what, headers, expected) => {
    expect(control(headers)).toBe(expected)
  })

  it('the value is printable ASCII for any header', () => {
    const sent = control({ 'cache-control': 'x="a\r\nSet-Cookie: b\u0000\u00fc\\"", max-age=5' })
    expect(sent).toMatch(/^[\x20-\x7e]*$/)
    expect(sent).toContain('max-age=5')
  })

  it('reads a header of a million commas without delay', () => {
    expect(control({ 'cache-control': `max-age=5${', ,'.repeat(500_000)}` })).toBe('max-age=5')
  })
})

describe('sharing between accounts', () => {
  it.each([
    ['max-age=60', false, true],
    ['private, max-age=60', false, false],
    ['PRIVATE', false, false],
    ['private="x"', false, false],
    ['no-store', false, false],
    ['no-cache', false, true],
    ['max-age=60', true, false],
    ['public, max-age=60', true, true],
  ])('%s, fetched with a password: %s', (text, credentials, shareable) => {
    expect(cacheabilityOf({ 'cache-control': text }, NOW, credentials).shareable).toBe(shareable)
  })
})

describe('a source that was fetched with a password', () => {
  it.each([
    [undefined, 'private'],
    ['max-age=60', 'private, max-age=60'],
    ['no-cache', 'private, no-cache'],
    ['no-store', 'no-store'],
    ['public, max-age=60', 'public, max-age=60'],
  ])('a source with %s is announced as %s', (stated, expected) => {
    const headers = stated === undefined ? {} : { 'cache-control': stated }
    expect(cacheabilityOf(headers, NOW, true).cacheControl).toBe(expected)
  })
})

describe('sending a result again later', () => {
  it.each([
    ['public, max-age=60, s-maxage=600', 45.9, 'public, max-age=15, s-maxage=555'],
    ['max-age=60', 61, 'max-age=0'],
    ['no-store', 10, 'no-store'],
    ['max-age=60', -5, 'max-age=60'],
  ])('%s after %d s is %s', (text, seconds, expected) => {
    expect(ageCacheControl(text, seconds)).toBe(expected)
  })
})
