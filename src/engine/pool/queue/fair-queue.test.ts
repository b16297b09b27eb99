import { describe, expect, it } from 'vitest'
import { openFairQueue } from './fair-queue.ts'

const queueOf = (...items: readonly string[]) => {
  const queue = openFairQueue<string>()
  for (const item of items) queue.add(item, { account: item[0]!, cost: 1 })
  return queue
}

const served = (queue: { readonly next: () => string | undefined }, count: number): string =>
  Array.from({ length: count }, () => queue.next() ?? '-').join(' ')

describe('a fair queue', () => {
  it('is first come, first served for one account', () => {
    expect(served(queueOf('a1', 'a2', 'a3'), 4)).toBe('a1 a2 a3 -')
  })

  it('serves accounts in turn, however many of one came first', () => {
    expect(served(queueOf('a1', 'a2', 'a3', 'b1', 'b2', 'c1'), 6)).toBe('a1 b1 c1 a2 b2 a3')
  })

  it('serves a newcomer next, although another has waited long with more', () => {
    const queue = queueOf(...Array.from({ length: 150 }, (_, at) => `a${at}`))
    expect(served(queue, 20)).toMatch(/^a0 .* a19$/)
    queue.add('b1', { account: 'b', cost: 1 })
    expect(served(queue, 2)).toMatch(/b1/)
  })

  it('counts work and not requests: who asks for large images gets fewer of them', () => {
    const queue = openFairQueue<string>()
    for (const at of [1, 2, 3]) queue.add(`a${at}`, { account: 'a', cost: 10 })
    for (const at of [1, 2, 3, 4]) queue.add(`b${at}`, { account: 'b', cost: 2 })
    expect(served(queue, 7)).toBe('a1 b1 b2 b3 b4 a2 a3')
  })

  it('saves up nothing: who was away does not get ahead of everybody', () => {
    const queue = queueOf('a1', 'a2', 'a3', 'a4')
    expect(served(queue, 2)).toBe('a1 a2')
    for (const at of [1, 2, 3]) queue.add(`b${at}`, { account: 'b', cost: 1 })
    expect(served(queue, 5)).toBe('b1 a3 b2 a4 b3')
  })

  it('serves those first who are not served elsewhere as well', () => {
    const queue = queueOf('a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'b3')
    queue.charge({ account: 'a', cost: 4 })
    queue.add('b4', { account: 'b', cost: 1 })
    expect(served(queue, 8)).toBe('b1 b2 b3 b4 a1 a2 a3 a4')
  })

  it('does not let an account wait for ever because of work served elsewhere', () => {
    const queue = queueOf('a1', ...Array.from({ length: 30 }, (_, at) => `b${at}`))
    for (let times = 0; times < 100; times += 1) queue.charge({ account: 'a', cost: 50 })
    const order = served(queue, 31).split(' ')
    expect(order.indexOf('a1')).toBeGreaterThan(8)
    expect(order.indexOf('a1')).toBeLessThan(13)
  })

  it('keeps a charged account in debt until other accounts were served the charge', () => {
    const queue = queueOf('a1', 'b1', 'b2', 'b3')
    queue.charge({ account: 'a', cost: 1.5 })
    const debts = Array.from({ length: 4 }, () => [queue.next(), queue.isInDebt('a'), queue.isInDebt('b')])
    expect(debts).toEqual([
      ['b1', true, false],
      ['b2', true, false],
      ['a1', false, false],
      ['b3', false, false],
    ])
  })

  it('does not count work served elsewhere while no other account waited here', () => {
    const queue = queueOf('a1')
    queue.charge({ account: 'a', cost: 50 })
    queue.charge({ account: 'b', cost: 5 })
    expect(served(queue, 1)).toBe('a1')
    queue.charge({ account: 'a', cost: 50 })
    for (const item of ['a2', 'b1']) queue.add(item, { account: item[0]!, cost: 1 })
    expect(served(queue, 2)).toBe('a2 b1')
  })

  it('returns the work that is served before the next job of an account', () => {
    const queue = openFairQueue<string>()
    for (const at of [1, 2, 3]) queue.add(`a${at}`, { account: 'a', cost: 10 })
    queue.add('b1', { account: 'b', cost: 4 })
    // Behind all of its own and the one of b; behind b1 and the first of a; behind the first of each.
    expect(['a', 'b', 'c'].map(queue.costAhead)).toEqual([34, 14, 14])
    expect(['a', 'b', 'c'].map(queue.countOf)).toEqual([3, 1, 0])
  })

  it('forgets what waits no longer', () => {
    const queue = queueOf('a1', 'a2', 'b1')
    queue.remove('a1')
    queue.remove('unknown')
    expect([queue.size(), served(queue, 3)]).toEqual([2, 'b1 a2 -'])
  })

  it('makes room for a modest account at the cost of the one with most', () => {
    const queue = queueOf('a1', 'a2', 'a3', 'b1')
    expect([queue.isModest('a'), queue.isModest('b'), queue.isModest('c')]).toEqual([false, true, true])
    expect([queue.evict(), queue.evict(), queue.size()]).toEqual(['a3', 'a2', 2])
    expect(queue.isModest('c')).toBe(false)
  })
})
