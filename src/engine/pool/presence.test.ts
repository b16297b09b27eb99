import { describe, expect, it } from 'vitest'
import { openPresence } from './presence.ts'

describe('the workers that an account may have', () => {
  it('are all of them while it is alone', () => {
    const presence = openPresence(2)
    presence.seen('anna')
    presence.began('anna')
    expect(presence.mayRun('anna')).toBe(true)
  })

  it('are all but one while another account is active, which finds that one free', () => {
    const presence = openPresence(3)
    for (const account of ['anna', 'bert']) presence.seen(account)
    presence.began('anna')
    expect([presence.mayRun('anna'), presence.mayRun('bert')]).toEqual([true, true])
    presence.began('anna')
    expect([presence.mayRun('anna'), presence.mayRun('bert')]).toEqual([false, true])
    presence.ended('anna')
    expect(presence.mayRun('anna')).toBe(true)
  })

  it('are all of them again when the others have been away for a while, however long their work takes', () => {
    let now = 0
    const presence = openPresence(2, undefined, () => now)
    presence.seen('bert')
    presence.began('bert')
    presence.seen('anna')
    presence.began('anna')
    now += 60_000
    expect(presence.mayRun('anna')).toBe(false)
    presence.ended('bert')
    now += 8_000
    expect(presence.mayRun('anna')).toBe(false)
    now += 3_000
    expect(presence.mayRun('anna')).toBe(true)
  })

  it('include the only worker of a pool of one', () => {
    const presence = openPresence(1)
    for (const account of ['anna', 'bert']) presence.seen(account)
    expect(presence.mayRun('anna')).toBe(true)
  })

  it('are all of them while the only other account is in debt', () => {
    const presence = openPresence(2, (account) => account === 'bert')
    for (const account of ['anna', 'bert']) presence.seen(account)
    for (const account of ['anna', 'bert']) presence.began(account)
    expect([presence.mayRun('anna'), presence.mayRun('bert')]).toEqual([true, false])
  })
})
