import { describe, expect, it } from 'vitest'
import { openElsewhere } from './elsewhere.ts'

describe('what is known of other nodes', () => {
  it('is nothing of a node that is alone', () => expect(openElsewhere().isBusy()).toBe(false))

  it('is that they are busy while in the mean somebody waits on each', () => {
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

  it('is forgotten when they tell nothing any more', () => {
    let now = 0
    const elsewhere = openElsewhere(() => now)
    elsewhere.hear('a', 5)
    now = 2000
    expect(elsewhere.isBusy()).toBe(true)
    now = 2001
    expect(elsewhere.isBusy()).toBe(false)
  })
})
