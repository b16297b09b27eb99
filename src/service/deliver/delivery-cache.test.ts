import { describe, expect, it } from 'vitest'
import { deliveryControl, isFresh } from './delivery-cache.ts'

const NOW = Date.UTC(2030, 0, 1)
const YEAR = 365 * 86_400
const source = (cacheControl: string | undefined, age = 0) => ({
  fetchedAt: NOW - age * 1000,
  ...(cacheControl === undefined ? {} : { cacheControl }),
})

describe('Cache-Control of live delivery (§8.2, §8.4)', () => {
  it.each([
    ['searched', undefined, 0, `public, max-age=${YEAR}`],
    ['searched', undefined, 5000, `public, max-age=${YEAR}`],
    ['searched', 'public', 0, `public, max-age=${YEAR}`],
    ['searched', 'max-age=600', 100, 'max-age=500'],
    ['searched', 'public, max-age=60, s-maxage=600', 100, 'public, max-age=0, s-maxage=500'],
    ['searched', 'private, max-age=600', 0, 'private, max-age=600'],
    ['searched', 'private', 0, 'private'],
    ['searched', 'no-store', 0, 'no-store'],
    ['searched', 'no-cache', 9, 'no-cache'],
    ['quick', undefined, 0, 'public, max-age=60'],
    ['quick', 'max-age=600', 0, 'public, max-age=60'],
    ['quick', 'private, max-age=600', 0, 'private, max-age=60'],
    ['quick', 'no-store', 0, 'no-store'],
    ['quick', 'no-cache', 0, 'no-cache'],
    ['quick', 'private, no-cache', 0, 'private, no-cache'],
    ['quick', 'max-age=0', 0, 'public, max-age=0'],
    ['quick', 'max-age=5', 0, 'public, max-age=5'],
    ['quick', 'max-age=70', 65, 'public, max-age=5'],
    ['quick', 'max-age=0, s-maxage=600', 0, 'public, max-age=0'],
    ['quick', 'max-age=600, s-maxage=5', 0, 'public, max-age=5'],
    ['stale', 'max-age=600', 1000, 'public, max-age=10'],
    ['stale', 'max-age=5', 1000, 'public, max-age=5'],
    ['stale', 'no-cache', 1000, 'no-cache'],
    ['stale', 'private', 1000, 'private, max-age=0'],
  ] as const)('a %s result of a source with %s from %i s ago has %s', (delivered, stated, age, expected) => {
    expect(deliveryControl(source(stated, age), delivered, { maxAge: YEAR, now: NOW })).toBe(expected)
  })

  it('a source without a lifetime adds none when the setting is 0', () => {
    expect(deliveryControl(source(undefined), 'searched', { maxAge: 0, now: NOW })).toBeUndefined()
    expect(deliveryControl(source('public'), 'searched', { maxAge: 0, now: NOW })).toBe('public')
  })

  it.each([
    [undefined, YEAR, 100, true],
    [undefined, 0, 0, false],
    ['max-age=600', YEAR, 599, true],
    ['max-age=600', YEAR, 600, false],
    ['max-age=600, s-maxage=60', YEAR, 61, false],
    ['no-cache, max-age=600', YEAR, 1, false],
    ['private', YEAR, 1, false],
    ['private, max-age=600', YEAR, 1, true],
    ['max-age=soon', YEAR, 1, false],
  ])('a source with %s and a default lifetime of %i s is fresh after %i s: %s', (stated, maxAge, age, fresh) => {
    expect(isFresh(source(stated, age), maxAge, NOW)).toBe(fresh)
  })
})
