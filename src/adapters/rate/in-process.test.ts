import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { openInProcessRate } from './in-process.ts'

describe('the rate of requests', () => {
  test('the limit passes at once, and no more until a minute has passed', () => {
    let now = 12_345
    const rate = openInProcessRate({ now: () => now })
    expect(Array.from({ length: 5 }, () => rate.allow('ada', 3))).toEqual([true, true, true, false, false])
    now += 59_000
    expect(rate.allow('ada', 3)).toBe(false)
    now += 2_000
    expect(rate.allow('ada', 3)).toBe(true)
  })

  test('accounts are counted separately', () => {
    const rate = openInProcessRate({ now: () => 0 })
    expect([rate.allow('ada', 1), rate.allow('bob', 1), rate.allow('ada', 1)]).toEqual([true, true, false])
  })

  test('0 is no limit', () => {
    const rate = openInProcessRate({ now: () => 0 })
    expect(Array.from({ length: 1000 }, () => rate.allow('ada', 0))).not.toContain(false)
  })

  test('no 60 seconds exceed the limit, and an account within it is never refused', () => {
    const gaps = fc.array(fc.integer({ min: 0, max: 20_000 }), { minLength: 1, maxLength: 200 })
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 12 }), gaps, (limit, waits) => {
        let now = 0
        const rate = openInProcessRate({ now: () => now })
        const granted: number[] = []
        for (const wait of waits) {
          now += wait
          // 62 s: the whole seconds that a minute may overlap.
          const recent = granted.filter((time) => time > now - 62_000).length
          const allowed = rate.allow('ada', limit)
          if (recent < limit) expect(allowed).toBe(true)
          if (allowed) granted.push(now)
        }
        for (const time of granted) {
          expect(granted.filter((other) => other >= time && other < time + 60_000).length).toBeLessThanOrEqual(limit)
        }
      }),
    )
  })

  test('beyond the maximum of accounts, the least recently seen one is forgotten', () => {
    const rate = openInProcessRate({ now: () => 0, maxAccounts: 2 })
    for (const username of ['ada', 'bob', 'ada', 'carl']) rate.allow(username, 1)
    expect(rate.allow('ada', 1)).toBe(false)
    expect(rate.allow('bob', 1)).toBe(true)
  })
})
