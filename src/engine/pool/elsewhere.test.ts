import { describe, expect, it } from 'vitest'
import { openElsewhere } from './elsewhere.ts'

describe('the load of other nodes', () => {
  it('is unknown to a node that is alone', () => expect(openElsewhere().isBusy()).toBe(false))

  it('is busy while the mean number of waiting jobs is above zero on all of them', () => {
    const elsewhere = openElsewhere()
    elsewhere.hear('a', 1)
    expect(elsewhere.isBusy()).toBe(true)
    elsewhere.hear('b', 0)
    expect(elsewhere.isBusy()).toBe(false)
    elsewhere.hear('a', 2)
    expect(elsewhere.isBusy()).toBe(true)
    elsewhere.hear('a', 0)
    expect(elsewhere.isBusy()).toBe(false)
  })

  it('is forgotten two seconds after the last message', () => {
    let now = 0
    const elsewhere = openElsewhere(() => now)
    elsewhere.hear('a', 5)
    now = 2000
    expect(elsewhere.isBusy()).toBe(true)
    now = 2001
    expect(elsewhere.isBusy()).toBe(false)
  })
})
