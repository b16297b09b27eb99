import { describe, expect, test } from 'vitest'
import { matchesIfRange, readRange } from './ranges.ts'

describe('ranges', () => {
  test.each([
    ['bytes=0-9', { kind: 'part', first: 0, last: 9 }],
    ['bytes=90-', { kind: 'part', first: 90, last: 99 }],
    ['bytes=-10', { kind: 'part', first: 90, last: 99 }],
    ['bytes=-1000', { kind: 'part', first: 0, last: 99 }],
    ['bytes=50-1000', { kind: 'part', first: 50, last: 99 }],
    ['Bytes = 3 - 3', { kind: 'part', first: 3, last: 3 }],
    ['bytes=100-', { kind: 'none' }],
    ['bytes=100-200', { kind: 'none' }],
    ['bytes=-0', { kind: 'none' }],
    ['bytes=9-3', { kind: 'whole' }],
    ['bytes=0-1,5-6', { kind: 'whole' }],
    ['bytes=-', { kind: 'whole' }],
    ['bytes=a-b', { kind: 'whole' }],
    ['bytes=0-99999999999999999999', { kind: 'whole' }],
    ['items=0-9', { kind: 'whole' }],
    ['', { kind: 'whole' }],
    [undefined, { kind: 'whole' }],
  ])('reads %j for a body of 100 bytes', (header, expected) => expect(readRange(header, 100)).toEqual(expected))

  test('a range of an empty body is unsatisfiable', () => expect(readRange('bytes=0-', 0)).toEqual({ kind: 'none' }))

  test.each([
    [undefined, true],
    ['"abc"', true],
    [' "abc" ', true],
    ['"other"', false],
    ['W/"abc"', false],
    ['Sat, 01 Aug 2026 00:00:00 GMT', false],
  ])('If-Range: %s holds for the tag "abc": %s', (ifRange, expected) =>
    expect(matchesIfRange(ifRange, '"abc"')).toBe(expected))
})
